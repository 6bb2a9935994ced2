/** The folder with a program for the generated client of each language. */
export const programFolder = 'test/contract/generators';

/** The programs. Each one calls every operation that takes an API key, and prints its id. */
export const programs = [
  'typescript/program.ts',
  'python/program.py',
  'java/src/main/java/Program.java',
  'go/main.go',
] as const;

/** The operations that the programs do not call, and the reasons. */
export const excludedOperations: Readonly<Record<string, string>> = {
  streamEvents: 'a stream of server-sent events, which generators read as one text',
};
