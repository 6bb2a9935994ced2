import { startApi } from '../../api/main.js';
import { createAccount, type CreatedAccount } from '../../cli/accounts/createAccount.js';
import { migrate } from '../../cli/environment/migrateTopics.js';
import type { RoleName, StartRole } from '../../cli/roles/runRole.js';
import { withStores, type Stores } from '../../cli/environment/stores.js';
import { startDelivery } from '../../consumers/main.js';
import { startProjections } from '../../projections/main.js';
import { loadConfig, type Config } from '../../shared/settings/config.js';
import type { PlanTerms } from '../../shared/domain/accounts/account.js';
import { createLogger } from '../../shared/core/logger.js';
import type { RunningRole } from '../../shared/runtime/role.js';
import { allOf } from '../../stack/system/wait.js';
import { ask } from './desk.js';
import { isolatedSettings, type Settings } from './settings.js';

/** A service that tests use, wherever its roles run. */
export interface SharedService {
  /** The API's address. */
  readonly address: string;
  readonly config: Config;
  /** The same for a program that is started next to it. */
  readonly settings: Settings;
  /** By default on Enterprise with a limit that no test reaches. */
  readonly createAccount: (terms?: PlanTerms) => Promise<CreatedAccount>;
  /** Runs `work` with connections to the service's stores. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
}

/** A service whose roles run in this process. */
export interface TestService extends SharedService {
  /** Where a role answers. */
  readonly addressOf: (name: RoleName) => string;
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

const roleNames = ['projections', 'delivery', 'api'] as const;

const generousTerms: PlanTerms = { plan: 'enterprise', requestsPerSecond: 100_000 };

/** What the process of the shared service tells the others of it. */
export type ServicePlace = Pick<SharedService, 'address' | 'settings'>;

/** The service that tests share, in all processes that run some. Each test creates its own account in it. */
export async function sharedService(): Promise<SharedService> {
  const { address, settings } = await ask<ServicePlace>('service');
  return serviceAt(address, settings);
}

/** A separate service, for tests that harm it, or that one of its roles would harm. */
export async function startService(
  overrides: Settings = {},
  started: readonly RoleName[] = roleNames,
): Promise<TestService> {
  return startServiceWith(await isolatedSettings(overrides), started);
}

/** A service with exactly these settings, on servers that the caller has started. */
export async function startServiceWith(
  settings: Settings,
  started: readonly RoleName[] = roleNames,
): Promise<TestService> {
  const config = loadConfig(settings);
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
  const addressOf = (name: RoleName) => roles.get(name)?.address ?? '';
  const stop = async () => {
    await Promise.all(roleNames.map(stopRole));
  };
  await allOf(started.map(startRole)).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    ...serviceAt(addressOf('api'), settings),
    addressOf,
    stopRole,
    startRole,
    stop,
  };
}

function serviceAt(address: string, settings: Settings): SharedService {
  const config = loadConfig(settings);
  return {
    address,
    config,
    settings,
    createAccount: (terms = generousTerms) =>
      withStores(config, ({ commands }) =>
        createAccount(commands, { name: 'Test', email: 'test@example.com', ...terms }, new Date()),
      ),
    withStores: (work) => withStores(config, work),
  };
}
