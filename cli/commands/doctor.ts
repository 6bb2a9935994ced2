import process from 'node:process';

import type { Command } from 'commander';
import picocolors from 'picocolors';

import { secretBytes } from '../../shared/domain/webhooks/signature.js';
import { clientOf } from '../developer/api/clientOf.js';
import { checkReceiver, checkService, type Finding } from '../developer/doctor/checks.js';
import { addConnectionOptions, type ConnectionOptions } from '../developer/settings/connection.js';
import { signingSecret } from '../developer/settings/signingSecret.js';
import { userFolder } from '../developer/settings/userFolder.js';
import { readReceiver } from '../terminal/arguments.js';
import { CommandFailure, print } from '../terminal/output.js';

interface DoctorOptions extends ConnectionOptions {
  readonly forwardTo?: URL;
  readonly json?: boolean;
}

const help = `
With --forward-to, two events of the type webhook.test are sent to the receiver, signed with the secret of \`postrider
listen\`: a genuine one, and one whose signature is wrong.`;

export function addDoctorCommand(program: Command): void {
  const doctor = program
    .command('doctor')
    .option('--forward-to <url>', 'the URL of a local receiver to check', readReceiver)
    .option('--json', 'print JSON');
  addConnectionOptions(doctor)
    .addHelpText('after', help)
    .action(async (options: DoctorOptions) => {
      const findings = await examine(options);
      print(options.json === true ? findings : findings.map(lineOf).join('\n'));
      const failed = findings.filter(({ status }) => status === 'failed').length;
      if (failed > 0) {
        throw new CommandFailure(`${failed} of ${findings.length} checks failed.`);
      }
    });
}

async function examine(options: DoctorOptions): Promise<readonly Finding[]> {
  const service = await checkService(clientOf(options));
  const receiver =
    options.forwardTo === undefined
      ? []
      : await checkReceiver(options.forwardTo, secretBytes(signingSecret(userFolder(process.env))));
  return [...service, ...receiver];
}

function lineOf({ check, status, message }: Finding): string {
  const shown = { ok: picocolors.green('ok    '), failed: picocolors.red('FAILED'), skipped: '–     ' }[
    status
  ];
  return `${shown}  ${check.padEnd(8)}  ${message}`;
}
