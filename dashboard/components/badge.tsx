import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';

import { Icon } from './icon.js';

export type Tone = 'good' | 'bad' | 'warn' | 'info' | 'plain';

interface BadgeProps {
  readonly tone: Tone;
  readonly icon?: IconNode;
  readonly children: ComponentChildren;
}

/** A badge that shows a state in one word. The icon repeats the meaning of the color. */
export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span class={`badge badge-${tone}`}>
      {icon !== undefined && <Icon of={icon} size={13} />}
      {children}
    </span>
  );
}
