export type FileReading = { readonly text: string | undefined; readonly fault: string | undefined };

/** The text of a file; no text and no fault where there is none. Never throws. */
export type SafeReader = (path: string) => FileReading;

export function readSafely(readFile: (path: string) => string | undefined): SafeReader {
  return (path) => {
    try {
      return { text: readFile(path), fault: undefined };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
      return { text: undefined, fault: `can not be read${code}` };
    }
  };
}
