import type { Mutation } from './mutation.js';

const folder = 'shared/kafka/recordFormat';
const test = 'test/shared/log/recordFormat/recordFormat.test.ts';

/** Ways in which a record could be written or read otherwise than it is. */
export const recordFormatMutations: readonly Mutation[] = [
  {
    name: 'kafkajs reads and writes records itself',
    file: 'shared/log/kafkajs-internals/prepareKafkajs.ts',
    find: '  replaceRecordFormat();\n',
    replace: '',
    test: 'test/shared/log/deadLetters/deadLetters.test.ts',
    grep: 'keeps the headers byte for byte',
  },
  {
    name: 'nothing and an empty piece are the same',
    file: `${folder}/encodeRecord.ts`,
    find: 'bytes === undefined ? -1 :',
    replace: 'bytes === undefined ? 0 :',
    test,
    grep: 'writes a record as kafkajs does',
  },
  {
    name: 'the length of a text is counted in characters',
    file: `${folder}/encodeRecord.ts`,
    find: '-1 : Buffer.byteLength(bytes)',
    replace: '-1 : bytes.length',
    test,
    grep: 'writes a record as kafkajs does',
  },
  {
    name: 'of headers of one name the last one is kept',
    file: `${folder}/decodeRecord.ts`,
    find: 'if (before === undefined)',
    replace: 'if (before !== null)',
    test,
    grep: 'reads a record as kafkajs does',
  },
  {
    name: 'a record has its own time where the topic stamps them',
    file: `${folder}/decodeRecord.ts`,
    find: 'timestampType === logAppendTime',
    replace: 'timestampType < 0',
    test,
    grep: 'reads a record as kafkajs does',
  },
  {
    name: 'a header is looked for among what each object has',
    file: `${folder}/decodeRecord.ts`,
    find: 'Object.hasOwn(headers, name) ? headers[name] : undefined',
    replace: 'headers[name]',
    test,
    grep: 'called like what each object has',
  },
  {
    name: 'integers end at 32 bits',
    file: `${folder}/varints.ts`,
    find: 'encoded += (byte % continues) * factor;',
    replace: 'encoded = (encoded + (byte % continues) * factor) | 0;',
    test,
    grep: 'keeps integers up to 2',
  },
];
