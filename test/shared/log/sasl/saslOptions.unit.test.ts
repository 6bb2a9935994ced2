import { expect } from 'chai';
import kafkajs from 'kafkajs';

import { saslOptions } from '../../../../shared/log/sasl/saslOptions.js';

/** No profile of this machine is read, and no metadata service is asked. */
const isolated = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};

/** Asks for a token as kafkajs does for a connection, in an environment with these variables. */
async function awsToken(variables: Readonly<Record<string, string>>): Promise<string> {
  const before = { ...process.env };
  Object.keys(process.env)
    .filter((name) => name.startsWith('AWS_'))
    .forEach((name) => Reflect.deleteProperty(process.env, name));
  Object.assign(process.env, isolated, variables);
  try {
    const options = saslOptions({ mechanism: 'aws-iam', region: 'eu-central-1' });
    return 'oauthBearerProvider' in options ? (await options.oauthBearerProvider()).value : 'none';
  } finally {
    Object.keys({ ...isolated, ...variables }).forEach((name) => Reflect.deleteProperty(process.env, name));
    Object.assign(process.env, before);
  }
}

describe('the SASL options with aws-iam', () => {
  it("sign a token with the credentials of AWS's default chain", async () => {
    const token = await awsToken({
      AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 'session',
    });
    const { host, searchParams } = new URL(Buffer.from(token, 'base64url').toString());
    expect([host, searchParams.get('Action'), searchParams.get('X-Amz-Security-Token')]).to.deep.equal([
      'kafka.eu-central-1.amazonaws.com',
      'kafka-cluster:Connect',
      'session',
    ]);
    expect(searchParams.get('X-Amz-Credential')).to.match(
      /^ASIAEXAMPLE\/\d{8}\/eu-central-1\/kafka-cluster\//,
    );
  });

  it('fail without credentials, with an error that kafkajs retries', async () => {
    const error = await awsToken({}).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(kafkajs.KafkaJSConnectionError);
    expect(String(error)).to.include('no AWS credentials for KAFKA_SASL_MECHANISM=aws-iam');
  });
});
