import process from 'node:process';

import { createSupervisor } from '../../../cli/start/supervisor.js';
import { createWatchdog } from '../../../stack/processes/watchdog.js';

const [role] = process.argv.slice(2);

if (role === undefined) {
  const watchdog = createWatchdog();
  const supervisor = createSupervisor(watchdog, { drainDelayMs: 0 });
  process.stdout.write(await supervisor.start('api', process.env));
  await supervisor.stop();
  watchdog.close();
} else {
  // The supervisor starts this program as a role. The role reports its environment and options instead of its address.
  const { env: environment, execArgv: options } = process;
  process.send?.({ type: 'running', address: JSON.stringify({ environment, options }) });
  process.once('SIGTERM', () => process.exit(0));
}
