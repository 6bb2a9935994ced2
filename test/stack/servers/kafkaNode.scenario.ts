import { join } from 'node:path';

import { expect } from 'chai';

import { startKafka } from '../../../stack/servers/kafka.js';
import { newClusterId } from '../../../stack/servers/kafkaNode.js';
import { describeMachine } from '../../../stack/system/machine.js';
import { obtainPrograms } from '../../../stack/parts/programs.js';
import { createWatchdog } from '../../../stack/processes/watchdog.js';
import { makeDirectory, removeDirectories } from '../directories.js';
import { processesWith } from '../processes.js';

describe('newClusterId', () => {
  it('returns 16 bytes in base64url that never begin like an option of a command line', () => {
    const ids = Array.from({ length: 1_000 }, newClusterId);

    expect(ids.filter((id) => !/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/.test(id))).to.deep.equal([]);
  });
});

describe('the second start of a Kafka', () => {
  after(removeDirectories);

  it('reads the classes from an archive that the first start has written', async () => {
    const directory = await makeDirectory();
    const { java, kafkaLibs: libs } = await obtainPrograms(describeMachine(process.env));
    const watchdog = createWatchdog();
    const commandOfRun = async () => {
      const { server } = await startKafka(
        {
          ...{ directory: join(directory, 'kafka'), logFile: join(directory, 'kafka.log') },
          ...{ runtime: { java, libs }, shortLived: false },
        },
        { environment: process.env, watchdog },
      );
      const [listed] = (await processesWith(directory)).filter(({ pid }) => pid === server.pid);
      await server.stop();
      return listed?.command ?? '';
    };

    const commands = [await commandOfRun(), await commandOfRun()];

    watchdog.close();
    expect(commands[0]).to.match(/-XX:ArchiveClassesAtExit=.*classes-[0-9a-f]{16}\.jsa/);
    expect(commands[1]).to.match(/-XX:SharedArchiveFile=.*classes-[0-9a-f]{16}\.jsa/);
  });
});
