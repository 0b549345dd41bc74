import { useCallback } from 'react';

/** Smallest height of a room, in pixels: on low windows the page scrolls. */
const lowest = 320;

/**
 * Makes an element reach down to the end of the window, whatever stands above it: the frame of the console, the heading,
 * a banner.
 *
 * @returns a ref for the element
 */
export function useRoomHeight(): (element: HTMLDivElement) => () => void {
  return useCallback((element: HTMLDivElement) => {
    const fit = () => {
      const main = element.closest('main');
      const below = main === null ? 0 : Number.parseFloat(getComputedStyle(main).paddingBottom);
      const top = element.getBoundingClientRect().top + scrollY;
      element.style.height = `${Math.max(lowest, Math.floor(innerHeight - top - below))}px`;
    };
    fit();
    const growth = new ResizeObserver(fit);
    growth.observe(document.body);
    growth.observe(element.parentElement!);
    addEventListener('resize', fit);
    return () => {
      growth.disconnect();
      removeEventListener('resize', fit);
    };
  }, []);
}
