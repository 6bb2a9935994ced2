import { startApi } from '../../api/main.js';
import { createAccount, type CreatedAccount } from '../../cli/createAccount.js';
import { migrate } from '../../cli/migrate.js';
import type { RoleName, StartRole } from '../../cli/runRole.js';
import { withStores, type Stores } from '../../cli/stores.js';
import { startDelivery } from '../../consumers/delivery/main.js';
import { startProjections } from '../../projections/main.js';
import { loadConfig, type Config } from '../../shared/config.js';
import type { PlanTerms } from '../../shared/domain/account.js';
import { createLogger } from '../../shared/logger.js';
import type { RunningRole } from '../../shared/role.js';
import { isolatedSettings, type Settings } from './settings.js';

/** A service whose roles run in this process. */
export interface TestService {
  /** The API's address. */
  readonly address: string;
  readonly config: Config;
  /** The same for a program that is started beside it. */
  readonly settings: Settings;
  /** On Enterprise with a limit that no test reaches, where nothing else is asked for. */
  readonly createAccount: (terms?: PlanTerms) => Promise<CreatedAccount>;
  /** Runs `work` with connections to the service's stores. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
  /** Stops a role, in order. */
  readonly stopRole: (name: RoleName) => Promise<void>;
  /** Starts a role that was stopped. */
  readonly startRole: (name: RoleName) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const starts: Readonly<Record<RoleName, StartRole>> = {
  projections: startProjections,
  delivery: startDelivery,
  api: startApi,
};

const generousTerms: PlanTerms = { plan: 'enterprise', requestsPerSecond: 100_000 };

let shared: Promise<TestService> | null = null;

/** The service that tests share. Each test makes an account of its own in it. */
export function sharedService(): Promise<TestService> {
  shared ??= startService();
  return shared;
}

export async function stopSharedService(): Promise<void> {
  await (await shared)?.stop();
}

/** A service of its own, for tests that hurt it. */
export async function startService(settings: Settings = {}): Promise<TestService> {
  const allSettings = await isolatedSettings(settings);
  const config = loadConfig(allSettings);
  const logger = createLogger({ role: 'test', level: config.log.level, isTerminal: false });
  const clock = () => new Date();
  await migrate(config);
  const roles = new Map<RoleName, RunningRole>();
  const startRole = async (name: RoleName) => {
    roles.set(name, await starts[name](config, logger, clock));
  };
  const stopRole = async (name: RoleName) => {
    await roles.get(name)?.stop();
    roles.delete(name);
  };
  await startRole('projections');
  await startRole('delivery');
  await startRole('api');
  return {
    address: roles.get('api')?.address ?? '',
    config,
    settings: allSettings,
    createAccount: (terms = generousTerms) =>
      withStores(config, ({ commands }) =>
        createAccount(commands, { name: 'Test', email: 'test@example.com', ...terms }, clock()),
      ),
    withStores: (work) => withStores(config, work),
    stopRole,
    startRole,
    stop: async () => {
      await stopRole('api');
      await stopRole('delivery');
      await stopRole('projections');
    },
  };
}
