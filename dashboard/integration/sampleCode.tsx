import { useState } from 'preact/hooks';

import { CodeBlock } from '../components/codeBlock.js';
import { Segmented } from '../components/segmented.js';
import { samples, type SampleLanguage } from './samples.js';

/** Sample code that verifies signatures, in the language that the user chooses. */
export function Samples() {
  const [language, setLanguage] = useState<SampleLanguage>('typescript');
  return (
    <>
      <p>
        The function returns whether a request is genuine. Call it with the signing secret, the headers and
        the raw body. It needs only the standard library of the language.
      </p>
      <Segmented
        label="Language"
        value={language}
        options={samples.map((sample) => [sample.language, sample.name] as const)}
        onChange={setLanguage}
      />
      {samples
        .filter((sample) => sample.language === language)
        .map(({ name, rawBody, text }) => (
          <div key={name} class="sample">
            <CodeBlock what="code" label={`Sample code for ${name}`} text={text} />
            <p class="quiet small">Verify the raw body, before a JSON parser reads it. {rawBody}</p>
          </div>
        ))}
    </>
  );
}
