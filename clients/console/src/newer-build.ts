/**
 * Whether the gateway serves another build of the console by now: files of this one that were not loaded yet are gone
 * then. False while the gateway does not answer.
 */
export async function hasNewerBuild(): Promise<boolean> {
  const script = document.querySelector('script[type=module][src]')?.getAttribute('src');
  const answer = await fetch('/console', { cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok !== true || script == null) return false;
  return !(await answer.text()).includes(script);
}
