import { expect } from 'chai';

import { html } from '../../../api/documentation/html.js';

describe('api/documentation/html', () => {
  it('escapes text', () => {
    expect(html`<p>${'<script>alert("x") & \'y\'</script>'}</p>`.markup).to.equal(
      '<p>&lt;script&gt;alert(&quot;x&quot;) &amp; &#39;y&#39;&lt;/script&gt;</p>',
    );
  });

  it('keeps text within an attribute', () => {
    expect(html`<p title="${'" onclick="x'}"></p>`.markup).to.equal('<p title="&quot; onclick=&quot;x"></p>');
  });

  it('takes markup as it is, and lists of it', () => {
    expect(html`${[html`<b>${1}</b>`, '<']}`.markup).to.equal('<b>1</b>&lt;');
  });
});
