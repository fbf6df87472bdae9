// What a page and its worker say to each other.
import type { Loading } from "../types";

/** To the worker, first: where Python lies, and what to load of it. */
export interface Start {
  folder: string;
  packages: string[];
  bytes: number;
}

/** To the worker: a panel's question, all that its figure depends on; one at a time. */
export interface Ask {
  call: string;
  values: string;
}

/** To the page. */
export interface Said {
  ready?: boolean;
  failed?: string;
  loading?: Loading;
  answer?: string;
  progress?: Loading;
}
