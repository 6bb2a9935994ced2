import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import process from 'node:process';

/** The folder in which each process of a test run notes the responses that it has received. Each process has its own file. */
const folder = 'node_modules/.cache/contract/seen';

const noted = new Set<string>();

/** Notes that the tests have received a response of an operation with this status. */
export function noteSeen(operationId: string, status: number): void {
  const line = `${operationId} ${status}`;
  if (!noted.has(line)) {
    noted.add(line);
    mkdirSync(folder, { recursive: true });
    appendFileSync(`${folder}/${process.pid}`, `${line}\n`);
  }
}

/** Deletes the notes of earlier runs. */
export function forgetSeen(): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Each operation and status that the tests have received since `forgetSeen`, such as `createEvent 201`. */
export function allSeen(): ReadonlySet<string> {
  mkdirSync(folder, { recursive: true });
  return new Set(
    readdirSync(folder).flatMap((file) => readFileSync(`${folder}/${file}`, 'utf8').trimEnd().split('\n')),
  );
}
