/** How many reasons there are to ask before the page is left. */
let reasons = 0;

const ask = (event: BeforeUnloadEvent) => event.preventDefault();

/**
 * Has the browser ask before the page is closed or loaded anew, since something typed has not arrived.
 *
 * @returns a function that ends this, once
 */
export function holdPage(): () => void {
  if (reasons++ === 0) addEventListener('beforeunload', ask);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    if (--reasons === 0) removeEventListener('beforeunload', ask);
  };
}
