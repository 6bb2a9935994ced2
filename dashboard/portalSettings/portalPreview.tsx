import { useLayoutEffect, useRef } from 'preact/hooks';

import { setAccent } from '../appearance/accentStyle.js';

interface PortalPreviewProps {
  readonly name: string;
  /** The accent color, or null for the default color. */
  readonly accent: string | null;
}

const schemes = [
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** How the accent color looks in both color schemes. The portal derives its shades with the same function. */
export function PortalPreview(props: PortalPreviewProps) {
  return (
    <section aria-labelledby="preview-heading" class="card card-text">
      <h2 id="preview-heading">Preview</h2>
      <div class="previews">
        {schemes.map(([scheme, text]) => (
          <SchemePreview key={scheme} scheme={scheme} text={text} {...props} />
        ))}
      </div>
      <p class="quiet small">
        The portal derives shades of the accent color that are legible on their backgrounds. So the shades may
        differ from the entered color.
      </p>
    </section>
  );
}

interface SchemePreviewProps extends PortalPreviewProps {
  readonly scheme: (typeof schemes)[number][0];
  readonly text: string;
}

function SchemePreview({ scheme, text, name, accent }: SchemePreviewProps) {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (element.current !== null) {
      setAccent(element.current, accent);
    }
  }, [accent]);
  return (
    <figure>
      <figcaption class="quiet small">{text}</figcaption>
      <div ref={element} class={`preview preview-${scheme}`}>
        <strong class="breakable">{name === '' ? 'Webhooks' : name}</strong>
        <span class="preview-navigation">
          <span class="preview-chosen">Endpoints</span>
          <span>Events</span>
        </span>
        <span class="preview-card">
          <span class="preview-link">https://example.com/webhooks</span>
          <span class="quiet small">Receives all events</span>
        </span>
        <span class="button button-primary">Add endpoint</span>
      </div>
    </figure>
  );
}
