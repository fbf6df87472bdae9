"""The helper package of mipbook, the explorable book on membership-inference privacy."""
