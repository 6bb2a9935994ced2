import type { ComponentChildren } from 'preact';

import { countText } from './timeText.js';

export function Tiles({ children }: { readonly children: ComponentChildren }) {
  return <dl class="tiles">{children}</dl>;
}

interface TileProps {
  readonly name: string;
  readonly value: string | number;
  readonly note?: string;
  readonly tone?: 'plain' | 'bad';
}

export function Tile({ name, value, note, tone = 'plain' }: TileProps) {
  return (
    <div class={`card tile tile-${tone}`}>
      <dt>{name}</dt>
      <dd>
        <span class="tile-value">{typeof value === 'number' ? countText(value) : value}</span>
        {note !== undefined && <span class="tile-note">{note}</span>}
      </dd>
    </div>
  );
}
