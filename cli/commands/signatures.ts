import { randomUUID } from 'node:crypto';
import process from 'node:process';
import { buffer } from 'node:stream/consumers';

import { InvalidArgumentError, type Command } from 'commander';

import { milliseconds } from '../../shared/domain/core/duration.js';
import { signatureHeaders } from '../../shared/domain/webhooks/signature.js';
import { capturedRequest, type GivenHeaders } from '../developer/signatures/capturedRequest.js';
import { faultOf, keyOf } from '../developer/signatures/checkSignature.js';
import { CommandFailure, print } from '../terminal/output.js';

interface VerifyOptions extends GivenHeaders {
  readonly secret: readonly string[];
  readonly tolerance: number | null;
}

interface SignOptions {
  readonly secret: readonly string[];
  readonly id?: string;
  readonly timestamp?: number;
  readonly json?: boolean;
}

const verifyHelp = `
Reads a request from standard input: a JSON object with "headers" and the text "body", as \`postrider sign --json\`
prints it, or the body alone with --id, --timestamp and --signature. Nothing is sent to any server.`;

const signHelp = `
Reads the body from standard input, and prints the headers of a delivery. Without --id, it is the "id" in the body.
Nothing is sent to any server.`;

const toleranceMs = 300_000;

/** Adds the commands `verify` and `sign`, which work offline. */
export function addSignatureCommands(program: Command): void {
  program
    .command('verify')
    .requiredOption('--secret <secret>', 'a signing secret: whsec_… (repeatable)', addSecret)
    .option('--id <id>', 'the header webhook-id')
    .option('--timestamp <seconds>', 'the header webhook-timestamp')
    .option('--signature <signatures>', 'the header webhook-signature')
    .option('--tolerance <duration>', 'the largest age, such as 5m, or any', readTolerance, toleranceMs)
    .addHelpText('after', verifyHelp)
    .action(async ({ secret: secrets, tolerance, ...given }: VerifyOptions) => {
      const request = capturedRequest(await buffer(process.stdin), given);
      const fault = faultOf(request, { secrets, now: new Date(), toleranceMs: tolerance });
      if (fault !== null) {
        throw new CommandFailure(fault);
      }
      print(`The signature of ${request.id} is genuine.`);
    });

  program
    .command('sign')
    .requiredOption('--secret <secret>', 'a signing secret: whsec_… (repeatable)', addSecret)
    .option('--id <id>', 'the header webhook-id')
    .option('--timestamp <seconds>', 'the header webhook-timestamp (default: now)', readSeconds)
    .option('--json', 'print the request as a JSON object with "headers" and "body"')
    .addHelpText('after', signHelp)
    .action(async ({ secret, id, timestamp, json }: SignOptions) => {
      const body = await buffer(process.stdin);
      const headers = signatureHeaders({
        id: id ?? idIn(body),
        timestampSeconds: timestamp ?? Math.floor(Date.now() / 1000),
        body,
        secrets: secret.map(keyOf),
      });
      print(
        json === true
          ? { headers, body: body.toString() }
          : Object.entries(headers)
              .map(([name, value]) => `${name}: ${value}`)
              .join('\n'),
      );
    });
}

function addSecret(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** The id of the event in a body, or a new one. */
function idIn(body: Buffer): string {
  try {
    const { id } = JSON.parse(body.toString()) as { id?: unknown };
    if (typeof id === 'string' && id !== '') {
      return id;
    }
  } catch {
    // A body need not be JSON.
  }
  return `msg_${randomUUID()}`;
}

function readTolerance(text: string): number | null {
  const ms = milliseconds(text);
  if (ms === null && text !== 'any') {
    throw new InvalidArgumentError('Pass a duration such as 5m, or any.');
  }
  return ms;
}

function readSeconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) {
    throw new InvalidArgumentError('Pass a time in Unix seconds, such as 1795243200.');
  }
  return Number(text);
}
