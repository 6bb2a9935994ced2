import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import process from 'node:process';

/** Where the processes of a test run note what they have seen, each in a file of its own. */
const folder = 'node_modules/.cache/contract/seen';

const noted = new Set<string>();

/** Notes that the tests have met this answer of an operation. */
export function noteSeen(operationId: string, status: number): void {
  const line = `${operationId} ${status}`;
  if (!noted.has(line)) {
    noted.add(line);
    mkdirSync(folder, { recursive: true });
    appendFileSync(`${folder}/${process.pid}`, `${line}\n`);
  }
}

/** Forgets what earlier runs have seen. */
export function forgetSeen(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Each operation and status that the tests have met since `forgetSeen`: `createEvent 201`. */
export function allSeen(): ReadonlySet<string> {
  mkdirSync(folder, { recursive: true });
  return new Set(
    readdirSync(folder).flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n')),
  );
}
