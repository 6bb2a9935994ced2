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
import { allOf } from '../../stack/system/allOf.js';
import { closeAtEndOfFile } from './fileResources.js';
import { requestResource } from './sharedResources.js';
import { isolatedSettings, type Settings } from './settings.js';

/** A service for tests, whether its roles run in this process or in another one. */
export interface SharedService {
  /** The API's address. */
  readonly address: string;
  readonly config: Config;
  /** The settings for a program that runs next to the service. */
  readonly settings: Settings;
  /** Creates an account, by default on the plan enterprise with a rate limit that no test reaches. */
  readonly createAccount: (terms?: PlanTerms) => Promise<CreatedAccount>;
  /** Runs `work` with connections to the service's stores. */
  readonly withStores: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
}

/** A service whose roles run in this process. */
export interface TestService extends SharedService {
  /** The address of a role. */
  readonly addressOf: (name: RoleName) => string;
  /** Stops a role gracefully. */
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

/** The data that other processes need to use the shared service. */
export type ServicePlace = Pick<SharedService, 'address' | 'settings'>;

/** The service that all tests share, in all processes of a test run. Each test creates its own account in it. */
export async function sharedService(): Promise<SharedService> {
  const { address, settings } = await requestResource<ServicePlace>('service');
  return serviceAt(address, settings, withHeldStores);
}

/** A separate service, for tests that would disturb others, or that a shared role would disturb. */
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
  const config = patientConfig(settings);
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
  closeAtEndOfFile(stop);
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

/** A request of a test waits for a minute, because a busy machine is no fault of the code. Its passwords cost little. */
function patientConfig(settings: Settings): Config {
  const deadlines = { readModelMs: 60_000, appendMs: 60_000 };
  return { ...loadConfig(settings), deadlines, passwordCost: { ln: 4, r: 8, p: 1 } };
}

function serviceAt(
  address: string,
  settings: Settings,
  using: typeof withStores = withStores,
): SharedService {
  const config = patientConfig(settings);
  return {
    address,
    config,
    settings,
    createAccount: (terms = generousTerms) =>
      using(config, ({ commands }) =>
        createAccount(commands, { name: 'Test', email: 'test@example.com', ...terms }, new Date()),
      ),
    withStores: (work) => using(config, work),
  };
}

let held: Promise<Stores> | null = null;

/** Runs `work` with connections that all tests of a file share, because opening them takes longer than most uses. */
const withHeldStores: typeof withStores = async (config, work) => work(await (held ??= holdStores(config)));

function holdStores(config: Config): Promise<Stores> {
  return new Promise((resolve, reject) => {
    let release = (): void => undefined;
    const released = new Promise<void>((end) => {
      release = end;
    });
    const closed = withStores(config, (stores) => {
      resolve(stores);
      return released;
    });
    closed.catch((error: unknown) => {
      held = null;
      reject(error instanceof Error ? error : new Error(String(error)));
    });
    closeAtEndOfFile(() => {
      held = null;
      release();
      return closed;
    });
  });
}
