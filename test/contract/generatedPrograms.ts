/** The folder with a program for the generated client of each language. */
export const programFolder = 'test/contract/generators';

/** The operations that the programs do not call, and the reasons. */
export const excludedOperations: Readonly<Record<string, string>> = {
  streamEvents: 'a stream of server-sent events, which generators read as one text',
};
