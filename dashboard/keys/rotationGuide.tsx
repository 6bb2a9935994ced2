/** The instructions for replacing a key without downtime. */
export function RotationGuide() {
  return (
    <section class="guide" aria-labelledby="rotation-heading">
      <h2 id="rotation-heading">Key rotation</h2>
      <ol>
        <li>Create a new key. The old key still works.</li>
        <li>Configure the new key in all programs that use the old key.</li>
        <li>When the last use of the old key stops changing, delete the old key.</li>
      </ol>
      <p class="quiet">The dashboard shows the last use of a key within a minute.</p>
    </section>
  );
}
