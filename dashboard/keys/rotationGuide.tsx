/** How a key is changed for another without a gap. */
export function RotationGuide() {
  return (
    <section class="guide" aria-labelledby="rotation-heading">
      <h2 id="rotation-heading">To rotate a key</h2>
      <ol>
        <li>Create the new key. Both work.</li>
        <li>Give it to the programs that use the old one.</li>
        <li>When the old one’s last use no longer moves on, delete it.</li>
      </ol>
      <p class="quiet">The last use is at most a minute behind.</p>
    </section>
  );
}
