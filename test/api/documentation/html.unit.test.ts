import { expect } from 'chai';

import { html, textWithCode } from '../../../api/documentation/html.js';

describe('the HTML template of the API reference', () => {
  it('escapes text', () => {
    expect(html`<p>${'<script>alert("x") & \'y\'</script>'}</p>`.markup).to.equal(
      '<p>&lt;script&gt;alert(&quot;x&quot;) &amp; &#39;y&#39;&lt;/script&gt;</p>',
    );
  });

  it('escapes quotes within an attribute', () => {
    expect(html`<p title="${'" onclick="x'}"></p>`.markup).to.equal('<p title="&quot; onclick=&quot;x"></p>');
  });

  it('inserts markup and lists of markup unchanged', () => {
    expect(html`${[html`<b>${1}</b>`, '<']}`.markup).to.equal('<b>1</b>&lt;');
  });

  it('shows words in backticks as code, and escapes all text', () => {
    expect(textWithCode('Send `<b>` & `c`.').markup).to.equal(
      'Send <code>&lt;b&gt;</code> &amp; <code>c</code>.',
    );
  });
});
