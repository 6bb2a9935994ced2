import { createHash } from 'node:crypto';
import { join } from 'node:path';
import process from 'node:process';

import type { Command } from 'commander';
import picocolors from 'picocolors';

import { secretBytes } from '../../shared/domain/webhooks/signature.js';
import { clientOf } from '../developer/api/clientOf.js';
import { connectionRefused, nothingListens } from '../developer/listen/forward.js';
import { lifeLimits } from '../developer/listen/lifeSigns.js';
import { listen, type Listener, type ListenReport } from '../developer/listen/listen.js';
import { clockTime, forwardJson, forwardLine, isSuccess } from '../developer/listen/listenLines.js';
import { holdName } from '../developer/listen/onlyRun.js';
import { progressFrom, readProgress, type Progress } from '../developer/listen/progress.js';
import { progressKeeper } from '../developer/listen/progressFile.js';
import {
  addConnectionOptions,
  type Connection,
  type ConnectionOptions,
} from '../developer/settings/connection.js';
import { signingSecret } from '../developer/settings/signingSecret.js';
import { userFolder, type UserFolder } from '../developer/settings/userFolder.js';
import { addTypes, readPastMoment, readReceiver, typesHelp } from '../terminal/arguments.js';
import { CommandFailure, print, printStatus } from '../terminal/output.js';

interface ListenOptions extends ConnectionOptions {
  readonly forwardTo?: URL;
  readonly events?: readonly string[];
  readonly tenant?: string;
  readonly since?: Date;
  readonly skipMissed?: boolean;
  readonly printJson?: boolean;
  readonly printSecret?: boolean;
}

const help = `
Each request has the headers and the signature of a delivery, also with a test key. The receiver gets each event once,
and whatever its answer is, only \`r\` sends the event again. If the command is killed, the next run repeats the event in
flight.

A run continues where the last run with the same address, key, types, tenant and receiver has ended: it first forwards
what was posted meanwhile. --skip-missed begins with new events, and --since with events of the past.

The connection is shown on standard error, and the events on standard output. On a terminal, \`r\` sends the last event
again, and \`q\` ends the command.`;

export function addListenCommand(program: Command): void {
  const command = program
    .command('listen')
    .option('--forward-to <url>', 'the URL of the receiver, such as http://localhost:4000/hook', readReceiver)
    .option('--events <types>', typesHelp, addTypes)
    .option('--tenant <id>', 'only the events of this tenant')
    .option(
      '--since <time>',
      'first forward the events since a time, such as 2h or 2026-11-21',
      readPastMoment,
    )
    .option('--skip-missed', 'do not forward what was posted since the last run')
    .option('--json, --print-json', 'print a line of JSON for each event, with its data')
    .option(
      '--print-secret',
      'print the signing secret, which stays the same; without --forward-to, only that',
    );
  addConnectionOptions(command)
    .addHelpText('after', help)
    .action(async (options: ListenOptions) => {
      const folder = userFolder(process.env);
      const secret = signingSecret(folder);
      if (options.printSecret === true) {
        print(secret);
      }
      if (options.forwardTo !== undefined) {
        await listenUntilStopped({ ...options, forwardTo: options.forwardTo }, folder, secret);
      } else if (options.printSecret !== true) {
        command.error('error: pass --forward-to with the URL of your receiver');
      }
    });
}

type ForwardOptions = ListenOptions & Required<Pick<ListenOptions, 'forwardTo'>>;

async function listenUntilStopped(
  options: ForwardOptions,
  folder: UserFolder,
  secret: string,
): Promise<void> {
  const { forwardTo: target, events: types = [], tenant: tenantId = null } = options;
  const client = clientOf(options);
  const { connection } = client;
  const file = progressFile(connection, options);
  const releaseName = await holdName(join(folder.path, file));
  if (releaseName === null) {
    throw new CommandFailure(
      'Another `postrider listen` with these settings is running, and both would forward each event. ' +
        'End the other one, or pass another --forward-to, --events or --tenant.',
    );
  }
  const stopping = new AbortController();
  const { report, summary } = createReport(connection, options);
  const progress = firstProgress(options, folder, file);
  const listener = listen({
    client,
    types,
    tenantId,
    target,
    secret: secretBytes(secret),
    limits: lifeLimits,
    progress,
    keep: progressKeeper(folder, file),
    report,
    signal: stopping.signal,
  });
  const release = endOn(() => {
    stopping.abort();
  }, listener);
  try {
    await listener.ended;
    printStatus(summary());
  } finally {
    release();
    releaseName();
  }
}

/** The progress from which a run begins, or null if it begins with new events. */
function firstProgress(
  { since, skipMissed }: ForwardOptions,
  folder: UserFolder,
  file: string,
): Progress | null {
  if (since !== undefined) {
    return progressFrom(since);
  }
  const stored = skipMissed === true ? '' : (folder.read(file) ?? '');
  const progress = readProgress(stored);
  if (progress === null && stored !== '') {
    const place = join(folder.path, file);
    printStatus(
      `${place} is damaged, so this run begins with new events; --since begins with events of the past.`,
    );
  }
  if (progress !== null) {
    const { floor, newest } = progress;
    const until = new Date(newest?.created ?? floor).toISOString();
    printStatus(
      `Continuing after the last run, whose newest event is of ${until}; --skip-missed begins now.`,
    );
  }
  return progress;
}

/** The file of the progress. Its name does not reveal the key. */
function progressFile(
  { url, apiKey }: Connection,
  { forwardTo, events = [], tenant }: ForwardOptions,
): string {
  const parts = [url.value, apiKey.value, forwardTo.href, [...events].sort(), tenant ?? null];
  return `listen/${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)}.json`;
}

function withoutCredentials({ href }: URL): string {
  return Object.assign(new URL(href), { username: '', password: '' }).href;
}

interface Reporting {
  readonly report: ListenReport;
  /** The line at the end of the command. */
  readonly summary: () => string;
}

function createReport({ url }: Connection, { forwardTo, printJson }: ForwardOptions): Reporting {
  let succeeded = 0;
  let failed = 0;
  let shownReason: string | null = null;
  let wasRefused = false;
  const status = (text: string) => {
    printStatus(`${clockTime(new Date())}  ${text}`);
  };
  const report: ListenReport = {
    connected: (lostSince) => {
      shownReason = null;
      const outage =
        lostSince === null ? '' : ` again; what was missed since ${clockTime(lostSince)} follows`;
      status(
        picocolors.green(`connected to ${url.value}${outage}`) +
          (lostSince === null ? `, forwarding to ${withoutCredentials(forwardTo)}` : ''),
      );
    },
    lost: ({ since, reason }) => {
      if (reason !== shownReason) {
        shownReason = reason;
        status(picocolors.yellow(`reconnecting since ${clockTime(since)}: ${reason}`));
      }
    },
    forwarded: (event, outcome, isAgain) => {
      if (isSuccess(outcome)) {
        succeeded += 1;
      } else {
        failed += 1;
      }
      print((printJson === true ? forwardJson : forwardLine)(event, outcome, isAgain));
      const isRefused = outcome.error === connectionRefused;
      if (isRefused && !wasRefused) {
        status(picocolors.yellow(`${nothingListens(forwardTo)} --since sends past events again.`));
      }
      wasRefused = isRefused;
    },
    interrupted: ({ id }) => {
      status(`${id} got no answer, and is forwarded again by the next run`);
    },
  };
  return {
    report,
    summary: () => `Stopped. ${succeeded} forwarded with success, ${failed} without.`,
  };
}

const ctrlC = '\u0003';

/**
 * Ends the command on signals, on `q`, and if nobody reads its output. A second signal ends the process at once.
 * @returns removes the handlers
 */
function endOn(stop: () => void, { repeat }: Pick<Listener, 'repeat'>): () => void {
  const { stdin, stdout } = process;
  let isStopping = false;
  const onSignal = () => {
    if (isStopping) {
      process.exit(1);
    }
    isStopping = true;
    stop();
  };
  const onKeys = (keys: Buffer | string) => {
    for (const key of keys.toString()) {
      if (key === 'r') {
        repeat();
      } else if (key === 'q' || key === ctrlC) {
        onSignal();
      }
    }
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  signals.forEach((signal) => process.on(signal, onSignal));
  stdout.on('error', stop);
  if (stdin.isTTY) {
    stdin.setRawMode(true).resume().on('data', onKeys);
  }
  return () => {
    signals.forEach((signal) => process.off(signal, onSignal));
    stdout.off('error', stop);
    if (stdin.isTTY) {
      stdin.off('data', onKeys).setRawMode(false).pause();
    }
  };
}
