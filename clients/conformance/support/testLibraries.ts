import { openLogReader, type LogReader } from '../../../test/api/support/records.js';
import { createClient, type Client } from '../../../test/support/client.js';
import { sharedService, type SharedService } from '../../../test/support/service.js';
import { libraries, type Library } from '../libraries.js';
import type { Settings } from '../protocol.js';
import { createDriver, type Driver } from './driver.js';
import { startFaultProxy, type FaultProxy } from './faultProxy.js';

/** What the tests of a library use: an account of the shared service, and the library behind a proxy. */
export interface Bench {
  readonly library: Library;
  readonly service: SharedService;
  readonly apiKey: string;
  /** A plain client with the key of the account. */
  readonly client: Client;
  readonly proxy: FaultProxy;
  readonly driver: Driver;
  /** The settings of a client behind the proxy. */
  readonly settings: Settings;
  /** The ids of all events in the log whose records contain the text, also of those that no list has yet. */
  readonly recordedIds: (text: string) => Promise<readonly string[]>;
}

/** Runs the same tests for each library, each with an account and a proxy of its own. */
export function testLibraries(what: string, tests: (bench: () => Bench) => void): void {
  describe(what, () => {
    let service: SharedService;
    let log: LogReader;
    before(async () => {
      service = await sharedService();
      log = await openLogReader(service, ['events']);
    });

    for (const library of libraries) {
      describe(library.name, () => {
        let bench: Bench | null = null;
        before(async () => {
          const { liveKey: apiKey } = await service.createAccount();
          const proxy = await startFaultProxy(service.address);
          bench = {
            library,
            service,
            apiKey,
            client: createClient(service.address, apiKey),
            proxy,
            driver: createDriver(library.program),
            settings: { baseUrl: proxy.address, apiKey },
            recordedIds: async (text) => (await log.recordsWith('events', text)).map(({ key }) => key),
          };
        });

        tests(() => {
          if (bench === null) {
            throw new Error('Use the bench within a test.');
          }
          return bench;
        });
      });
    }
  });
}
