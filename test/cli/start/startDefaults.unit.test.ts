import { expect } from 'chai';

import { withStartDefaults } from '../../../cli/start/startDefaults.js';

const webhookSettings = ['POSTRIDER_ALLOW_HTTP', 'POSTRIDER_ALLOW_PRIVATE_ADDRESSES'] as const;

describe('the defaults of start', () => {
  it('allow http: and private addresses on the local stack', () => {
    const settings = withStartDefaults({}, 'local stack');
    expect(webhookSettings.map((name) => settings[name])).to.deep.equal(['true', 'true']);
  });

  it('leave http: and private addresses forbidden on configured servers', () => {
    const settings = withStartDefaults({ KAFKA_BROKERS: 'kafka:9092' }, 'configured servers');
    expect(settings).not.to.have.any.keys(...webhookSettings);
  });

  it('stop without a drain delay, unless the operator sets one', () => {
    expect(withStartDefaults({}, 'configured servers')).to.include({ POSTRIDER_DRAIN_DELAY: '0s' });
    expect(withStartDefaults({ POSTRIDER_DRAIN_DELAY: '5s' }, 'local stack')).to.include({
      POSTRIDER_DRAIN_DELAY: '5s',
    });
  });

  it('listen on this machine only, unless the operator sets another host', () => {
    expect(withStartDefaults({}, 'configured servers')).to.include({ HOST: '127.0.0.1' });
    expect(withStartDefaults({ HOST: '0.0.0.0' }, 'configured servers')).to.include({ HOST: '0.0.0.0' });
    expect(withStartDefaults({ POSTRIDER_ALLOW_HTTP: 'false' }, 'local stack')).to.include({
      POSTRIDER_ALLOW_HTTP: 'false',
    });
  });
});
