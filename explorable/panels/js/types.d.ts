// What the parts pass to each other. `Spec` and `Control` are what `Explorable.describe` writes,
// `Request`, `Answer`, `Upload` and `Progress` are the traits of the widget in `live.py`.

/** The value of a control: a stop, a typed number, or a reader's file. */
export type Value = string | number | boolean | OwnFile;
export type Values = Record<string, Value>;

/** A file of the reader's own, by its number; its text went to the kernel once. */
export interface OwnFile {
  upload: number;
  name: string;
  columns?: Columns;
}

/** The columns that play each role. */
export type Columns = Record<string, string[]>;

export interface Role {
  name: string;
  label: string;
  many: boolean;
  optional: boolean;
}

export interface Control {
  name: string;
  label: string;
  kind: "slider" | "choice" | "file" | "switch" | "rounds";
  stops: (string | number | boolean)[];
  /** The stops that the figure function declares, where these are others. */
  coarse?: (string | number | boolean)[];
  labels: string[];
  start: number;
  unit: string;
  low: number | null;
  high: number | null;
  whole: boolean;
  stepped: boolean;
  /** Whether the page answers any number, and not only its stops. */
  typed: boolean;
  safe?: string;
  log: boolean;
  play: boolean;
  /** Whether the stops are draws, one as good as another. */
  again?: boolean;
  limit: number | null;
  roles?: Role[];
  /** Whether the panel's line of a terminal reads a file of the reader's own. */
  elsewhere?: boolean;
  /** How many rounds of a game come before the other controls. */
  alone?: number;
  /** The control whose choice says what the stops are; and for each choice their names. */
  by?: string;
  along?: Record<string, { labels: string[]; start: number }>;
}

export interface Spec {
  id: string;
  title: string;
  /** Where Python finds the figure function, `module:name`; none where it cannot be imported. */
  call?: string;
  /** A line of a terminal, with the controls' names in braces. */
  command?: string;
  face: "static" | "live" | "http";
  controls: Control[];
  /** On a page without kernel: the controls that each layer of the figure depends on. */
  layers?: string[][];
  /** Which of the layers is a table that answers any values. */
  corners?: number[];
  /** On a page without kernel: the longest sentences, and headlines, of all states. */
  longest?: string[];
  headline?: string[];
  /** The dark twin of every colour that a picture may use. */
  dark: Record<string, string>;
}

/** Numbers in a row, or rows of them. */
export type Numbers = ArrayLike<any>;

export interface Trace {
  type?: string;
  mode?: string;
  fill?: string;
  fillcolor?: unknown;
  line?: { color?: unknown; dash?: string; width?: number };
  marker?: {
    color?: unknown;
    symbol?: unknown;
    size?: unknown;
    line?: { color?: string; width: number };
    pattern?: { shape?: string; fgcolor?: unknown };
  };
  xaxis?: string;
  yaxis?: string;
  opacity?: number;
  /** Where a bar begins, if not at 0. */
  base?: number;
  hovertemplate?: unknown;
  hoverinfo?: string;
  showlegend?: boolean;
  name?: string;
  meta?: unknown;
  visible?: boolean;
  x?: Numbers;
  y?: Numbers;
  z?: ArrayLike<Numbers>;
  text?: unknown;
  textposition?: string;
}

/** What is used of plotly's own axes. */
interface PlotAxis {
  _offset: number;
  _length: number;
  p2d(pixel: number): number;
  d2p(value: unknown): number;
}
export interface Hit {
  points: { curveNumber: number; pointNumber: number }[];
}
export type PlotNode = HTMLElement & {
  data: Trace[];
  _fullLayout: Record<string, PlotAxis>;
  on(event: "plotly_hover" | "plotly_unhover", callback: (hit: Hit) => void): void;
};

// From here to the next line of this kind: written by tools/panel_types.py.
/** The places of a handle, one for each stop of its control. */
export interface Track {
  /** Where the handle stands; it is dragged from one place to another. */
  x: ArrayLike<any>;
  /** Where the handle stands; it is dragged from one place to another. */
  y: ArrayLike<any>;
}

/** A control whose value can be dragged in the picture: along an axis, or along a track. */
export interface Grab {
  /** The control's name. */
  control: string;
  /** `x` or `y`; of the lower of two pictures `x2` or `y2`. */
  axis: string;
  /** Where the handle stands on the other axis; at its far end if not given. */
  at?: number | string;
  /** Where it stands at each stop, where the coordinate is not the value. */
  track?: Track;
  /** Whether it is a ring, in which what is dragged is seen. */
  ring?: boolean;
}

/** One step of what is played: where some marks stand meanwhile, and what is said. */
export interface Scene {
  /** By the name of a trace what it has then, such as `x` and `opacity`. */
  marks: Record<string, any>;
  /** What the game says meanwhile. */
  say?: string;
}

/** What a figure says of itself, beside what it draws. */
export interface Told {
  /** The one number of this state in 2 to 8 words, drawn large. */
  headline?: string;
  /** The result in words, with each number tagged exact, bound, estimate or approximation. */
  sentence?: string;
  /** What the picture shows, for a reader who does not see it. */
  alt?: string;
  /** What can be dragged. */
  grab?: Grab[];
  /** The traces that hover, tap and arrow keys read: each point's hovertemplate is a sentence. */
  probe?: string[];
  /** The traces whose last state stays, faint; the first line if not given. */
  ghost?: string[];
  /** Of two pictures beside each other, where the width allows it, the first one's share of it. */
  beside?: number;
  /** Why the axes do not stand still, where they do not. */
  moving_axes?: string;
  /** The rows of a table below the sentence. */
  table?: string[][];
  /** What was read of a reader's file. */
  read?: string;
  /** Of a guessing game: keys, and the texts of their buttons. */
  options?: [string, string][];
  /** The key that is right. */
  answer?: string;
  /** The key that the best player chooses, where he may be wrong. */
  optimal?: string;
  /** Who plays so, as the score names him; the best player if not given. */
  rival?: string;
  /** What the game asks; its control's label if not given. */
  question?: string;
  /** What is said to a guess, by the key that was chosen, the right one and the best player's: `in/out/out`. */
  replies?: Record<string, string>;
  /** What is played before a round is asked about, and once it is answered; the last one stays. */
  before?: Scene[];
  /** What is played before a round is asked about, and once it is answered; the last one stays. */
  after?: Scene[];
  /** The traces that are not seen in the rounds that a game begins with. */
  later?: string[];
  /** What the reader has just done, said after those rounds. */
  afterwards?: string;
  /** What stands for `{name}` in the first three texts above and in the replies; a layer's, gone in the figure. */
  words?: Record<string, string>;
}
// Up to here: written by tools/panel_types.py.

export interface Layout {
  height?: number;
  showlegend?: boolean;
  meta?: Told;
  paper_bgcolor?: string;
  [key: string]: unknown;
}

export interface Figure {
  data: Trace[];
  layout: Layout;
}

export interface DressedFigure extends Figure {
  layout: Layout & { height: number };
}

/** What the kernel read of a reader's file. */
export interface Found {
  read?: string;
  columns?: string[];
  roles: Columns;
}

/** Where figures come from: a packed table or a kernel. */
export interface Source {
  /** The value that stands for a typed one: on a page without kernel, a stop. */
  settle(control: Control, value: number): number;
  figure(values: Values): Promise<Figure>;
  link?: Link;
  upload?(name: string, text: string): OwnFile;
  found?(): Found | null;
  textOf?(value: OwnFile): string | null;
  progress?(callback: (now: Progress) => void): () => void;
  here?: Here;
}

/** How far something long is. */
export interface Loading {
  what: string;
  done: number;
  total: number;
}

/** Python in this page, for one panel: whether it computes there what it shows. */
export interface Here {
  on: boolean;
  loading: boolean;
  answered: boolean;
  /** Why it could not be loaded. */
  problem: string;
  bytes: number;
  /** False where somebody stopped it. */
  load(): Promise<boolean>;
  stop(): void;
  turn(on: boolean): void;
  change(now: Partial<Here>): void;
  watch(heard: (said: { loading?: Loading }) => void, shown: () => void): void;
}

export type LinkState = "here" | "away" | "gone";

/** The line to a kernel. */
export interface Link {
  state: LinkState;
  sending: boolean;
  watch(callback: (state: LinkState) => void): () => void;
  onReturn(callback: () => void): void;
  waiting(on: boolean): void;
  cancel: (() => Promise<void>) | null;
  reachable(): Promise<boolean>;
}

export interface Request {
  number: number;
  values: Values;
}

/** The values with a reader's file whole in its place, for who remembers nothing. */
export type Sent = Record<string, Exclude<Value, OwnFile> | SentFile>;

export interface SentFile {
  name: string;
  text: string;
  columns: Columns;
}

/** One request, of an engine or a server; an ended one rejects with the signal's reason. */
export type Ask = (values: Sent, signal: AbortSignal) => Promise<Reply>;

/** What the reader is told: a figure, or why there is none, and how a file was read. */
export interface Reply {
  figure?: unknown;
  error?: string;
  cancelled?: boolean;
  file?: Found;
}

export interface Answer extends Reply {
  number: number;
}

export interface Upload {
  number?: number;
  name?: string;
  text?: string;
}

export interface Progress extends Loading {
  number: number;
}

export interface Traits {
  spec: Spec;
  request: Request;
  upload: Upload;
  answer: string;
  progress: Progress;
  plotly: string;
}

/** The page's side of the widget, as anywidget gives it. */
export interface Model {
  get<K extends keyof Traits>(name: K): Traits[K];
  set<K extends keyof Traits>(name: K, value: Traits[K]): void;
  save_changes(): void;
  send(message: object): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
  widget_manager: {
    kernel?: Kernel;
    get_model(id: string): Promise<PlotlyModel>;
  };
}

/** The widget that carries the plotting script. */
export interface PlotlyModel {
  get(name: "source"): DataView<ArrayBuffer>;
  once(event: string, callback: () => void): void;
  send(message: object): void;
}

interface Signal<T> {
  connect(callback: (sender: unknown, value: T) => void): void;
}

/** What the panel uses of JupyterLab's connection to a kernel. */
export interface Kernel {
  id: string;
  serverSettings: { baseUrl: string; token: string };
  connectionStatus: string;
  connectionStatusChanged: Signal<string>;
  statusChanged: Signal<string>;
  disposed: Signal<void>;
  reconnect(): Promise<void>;
  interrupt(): Promise<void>;
}

/** What a typed text may mean: one number, two, or none. */
export interface Reading {
  value?: number;
  readings?: number[];
}

/** The value that a control takes, with a note where it is another one, or why it takes none. */
export interface Taken {
  value?: number;
  /** What the reader asked for, where another value stands for it that has a picture elsewhere. */
  wanted?: number;
  note?: string;
  message?: string;
}

/** A control on the page. */
export interface Row {
  row: HTMLElement;
  show(value: Value): void;
  remark(found: Taken): void;
  reset?(): void;
  /** Called with what a scene says. */
  say?(text: string): void;
  /** Called where the picture that the build drew stands, before the panel is alive. */
  posed?(): void;
  /** Called after a picture was drawn; with null where a reader's file gave none. */
  drawn?(figure: Figure | null, found: Found | null): void;
}

/** What a control may ask of its panel. */
export interface Host {
  /** In a page, where it comes to life at a touch, `begun` ends when it has. */
  root: HTMLElement & { begun?: Promise<void> };
  spec: Spec;
  source: Source;
  values: Values;
  shown: Figure | null;
  /** What the picture shows, while the values may be ahead. */
  shownValues: Values | null;
  /** Whether a game's truth is on show. */
  picture: { revealed: boolean };
  /** What to do once, after the next picture. */
  afterDraw: (() => void) | null;
  /** What to do once, after the first answer. */
  afterStart: (() => void) | null;
  set(name: string, value: Value): Promise<void> | void;
  /** What is set next is moved to, as a press and no drag is. */
  glide(playing?: boolean): void;
  reveal(shown: boolean): Promise<void>;
  /** Show a game and nothing else, or all of its panel. */
  playAlone(alone: boolean, come?: number | null): void;
  retake(values: Values, notes: Record<string, Taken>): void;
}

/** What `Guess` and `Answer` write; what is right was computed with them. */
export interface Asked {
  role: "guess" | "answer";
  input: "number" | "one" | "many" | "mark";
  name: string;
  label: string;
  tag: string;
  because: string;
  unit: string;
  within?: string;
  choices: string[];
  panels: string[];
  /** The traces that are asked for, by the beginning of their names; none means all. */
  hides?: string[];
  /** The case that is asked about; what the panel is set to then, and what its headline says. */
  state?: Values;
  then?: Values;
  headline?: string;
  /** What the picture calls the truth. */
  truly?: string;
  /** What is said to a choice, or to a mark that is put too low, near the truth or too high. */
  replies?: Record<string, string>;
  /** Where a mark may be put, along which axis, and the place across it, if it has one. */
  mark?: {
    axis: string;
    at: number | string | null;
    start: number;
    truth: number;
    places: { value: number; text: string; reply: string; told?: string; stop?: number }[];
    /** From where to where on the other axis the guess covers the picture. */
    across?: [number, number];
    /** The control that is the guess. */
    bind?: string;
  };
  truth: { text: string; low?: number; high?: number; picked?: string[] };
  mistakes: { low?: number; high?: number; pick: string; why: string }[];
}

/** What a page prints besides its words. */
export interface Choice {
  solutions: boolean;
  code: boolean;
  pictures: boolean;
  /** All of the page, or what a class gets: the exercises alone. */
  sheet?: boolean;
  /** The number of the first page. */
  first?: number;
}

/** What a reader gave: a number or choices, with its words; or what is wrong. */
export interface Read {
  given?: any;
  text?: string;
  reply?: string;
  told?: string;
  problem?: string;
}

/** Where a reader answers. */
export interface Field {
  node: HTMLElement;
  /** Whether a press answers at once, without another button. */
  instant?: boolean;
  focus(): void;
  read(): Read;
  show(read: any): void;
  clear(): void;
  /** Put the mark at one of its places. */
  put?(place: number): void;
}

export interface Tones {
  ink: string;
  axis: string;
  grid: string;
  label: string;
  ground: string;
}

export interface PlotlyScript {
  react(node: HTMLElement, data: Trace[], layout: Layout, config: object): Promise<unknown>;
  toImage(figure: Figure, options: object): Promise<string>;
  purge(node: HTMLElement): void;
  Fx: {
    hover(node: HTMLElement, points: Hit["points"], subplot: string): void;
    unhover(node: HTMLElement): void;
  };
  Plots: { resize(node: HTMLElement): void };
}

declare global {
  /** From `palette.py`; the joined script starts with it. */
  const TONES: { light: Tones; dark: Tones };
  /** The panels' own face, from `assets.py`. */
  const SANS: string;
  var Plotly: PlotlyScript | undefined;
  /** The address of the plotting script, where it is not beside this one. */
  var mipbookPlotly: string | undefined;
  /** Whether the build draws a panel's first picture. */
  var mipbookFirst: boolean | undefined;
  var mipbook:
    | {
        ask(el: HTMLElement, spec: Asked): void;
        live(model: Model, el: HTMLElement): () => void;
        mountAll(): void;
        /** Brings a panel of the page to life, once. */
        mounted(root: HTMLElement): Promise<void>;
        /** Lays a page of the book out for paper, for who prints it by a program. */
        paper?: { lay(asked: Partial<Choice>): Promise<void>; putBack(): void };
      }
    | undefined;
  /** What `publish/here.py` found of Python beside the pages. */
  var mipbookHere: { folder: string; packages: string[]; bytes: number } | null | undefined;
  /** The PDFs that were made of this book, by their names. */
  var mipbookPdfs: string[] | undefined;
}
