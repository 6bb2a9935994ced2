interface LegendProps {
  readonly items: readonly { readonly label: string; readonly look: string }[];
}

/** The meaning of the colors of a plot. */
export function Legend({ items }: LegendProps) {
  return (
    <ul class="legend">
      {items.map(({ label, look }) => (
        <li key={label}>
          <span class={`legend-sign ${look}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}
