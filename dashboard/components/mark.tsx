/** The name and logo of the service. */
export function Mark() {
  return (
    <span class="mark">
      <svg width="26" height="26" viewBox="0 0 32 32" aria-hidden="true">
        <rect class="mark-ground" width="32" height="32" rx="8" />
        <path
          d="M7 11.5h8M5 16h9M8 20.5h6"
          stroke="#fff"
          stroke-opacity=".65"
          stroke-width="2.2"
          stroke-linecap="round"
        />
        <path
          d="M18 9l7.5 7L18 23"
          fill="none"
          stroke="#fff"
          stroke-width="3"
          stroke-linecap="round"
          stroke-linejoin="round"
        />
      </svg>
      Postrider
    </span>
  );
}
