/** What is wrong in a file that a person wrote, as shown by the lint commands: `file:line message`. `line` counts from 1. */
export type Problem = { readonly file: string; readonly line: number; readonly message: string };
