import process from 'node:process';
import { parentPort } from 'node:worker_threads';

/** A worker thread that misbehaves as its jobs say. */
parentPort?.on('message', ({ schema }: { readonly schema: Uint8Array }) => {
  const text = Buffer.from(schema).toString();
  const kept: number[][] = [];
  while (text === 'stall' || text === 'memory') {
    if (text === 'memory') {
      kept.push(Array.from({ length: 10_000 }, (_, index) => index + 0.5));
    }
  }
  const messages: Readonly<Record<string, () => string>> = {
    environment: () => Object.keys(process.env).join(),
    bytes: () => String(schema.buffer.byteLength),
  };
  parentPort?.postMessage({ kind: 'failure', message: messages[text]?.() ?? text });
});
parentPort?.postMessage('ready');
