import type { IconNode } from 'lucide';
import { h } from 'preact';

/** An icon next to text with the same meaning. Screen readers skip the icon. */
export function Icon({ of, size = 16 }: { readonly of: IconNode; readonly size?: number }) {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      stroke-width="2"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      {of.map(([tag, attributes], index) => h(tag, { ...attributes, key: index }))}
    </svg>
  );
}
