/**
 * Placeholders for table rows. The placeholders have the height of rows, so the layout does not move after the load.
 */
export function SkeletonRows({ count = 8, what }: { readonly count?: number; readonly what: string }) {
  return (
    <div class="skeleton-rows" role="status" aria-busy="true">
      <span class="hidden">Loading {what}</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton-row" aria-hidden="true">
          <span class="skeleton skeleton-wide" />
          <span class="skeleton skeleton-narrow" />
        </div>
      ))}
    </div>
  );
}

/** A placeholder for a box on a page. */
export function SkeletonBox({
  size,
  what,
}: {
  readonly size: 'small' | 'plot' | 'large';
  readonly what: string;
}) {
  return (
    <div class={`skeleton skeleton-${size}`} role="status" aria-busy="true">
      <span class="hidden">Loading {what}</span>
    </div>
  );
}
