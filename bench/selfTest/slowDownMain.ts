import { subscribe } from 'node:diagnostics_channel';

/** Makes each HTTP request that a process sends cost more CPU time. To be loaded with `--import …?microseconds=30`. */
const extraMs = Number(new URL(import.meta.url).searchParams.get('microseconds')) / 1000;

subscribe('http.client.request.start', () => {
  const end = performance.now() + extraMs;
  while (performance.now() < end);
});
