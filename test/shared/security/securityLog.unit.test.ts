import { expect } from 'chai';

import { createSecurityLog } from '../../../shared/security/securityLog.js';

function open() {
  const lines: unknown[] = [];
  let time = 0;
  const log = createSecurityLog(
    {
      warn: (fields: unknown) => {
        lines.push(fields);
      },
    },
    () => time,
  );
  const wait = (milliseconds: number) => {
    time += milliseconds;
  };
  return { log, lines, wait };
}

describe('The security log', () => {
  it('contains a line with its stable name', () => {
    const { log, lines } = open();
    log.write('key_rejected', { network: '192.0.2.1', reason: 'api_key_invalid' });
    expect(lines).to.deep.equal([
      { security: 'key_rejected', network: '192.0.2.1', reason: 'api_key_invalid' },
    ]);
  });

  it('contains equal lines once a minute, with the number of omitted ones', () => {
    const { log, lines, wait } = open();
    const write = () => {
      log.write('key_rejected', { network: '192.0.2.1' });
    };
    [1, 2, 3].forEach(write);
    log.write('key_rejected', { network: '192.0.2.2' });
    wait(60_000);
    write();
    expect(lines).to.deep.equal([
      { security: 'key_rejected', network: '192.0.2.1' },
      { security: 'key_rejected', network: '192.0.2.2' },
      { security: 'key_rejected', network: '192.0.2.1', repeated: 2 },
    ]);
  });

  it('contains a limited number of lines in a minute, and then the number of dropped ones', () => {
    const { log, lines, wait } = open();
    for (let count = 0; count < 1010; count += 1) {
      log.write('key_rejected', { network: `network ${count}` });
    }
    const before = lines.length;
    wait(60_000);
    log.write('sign_in_limited', {});
    expect([before, lines.at(-1)]).to.deep.equal([1000, { security: 'sign_in_limited', dropped: 10 }]);
  });
});
