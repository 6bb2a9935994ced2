/**
 * Finds out which part of the page the user sees, if the page is in a frame. A host page makes the frame as tall as its
 * content and scrolls itself, so the middle of the frame may be far from what the user sees.
 * @param onArea called once with the part, in the coordinates of the frame. Never called outside of a frame, or while
 *   the frame is out of sight
 * @returns a function that ends the search
 */
export function findVisibleArea(onArea: (area: DOMRectReadOnly) => void): () => void {
  const observer = new IntersectionObserver((entries) => {
    observer.disconnect();
    for (const { isIntersecting, intersectionRect } of entries) {
      if (isIntersecting) {
        onArea(intersectionRect);
      }
    }
  });
  if (window.parent !== window) {
    observer.observe(document.documentElement);
  }
  return () => {
    observer.disconnect();
  };
}

const followMs = 250;

/** Finds the part that the user sees again and again, because a frame is not told when its host page scrolls. */
export function followVisibleArea(onArea: (area: DOMRectReadOnly) => void): () => void {
  let endSearch = findVisibleArea(onArea);
  const timer = setInterval(() => {
    endSearch();
    endSearch = findVisibleArea(onArea);
  }, followMs);
  return () => {
    clearInterval(timer);
    endSearch();
  };
}
