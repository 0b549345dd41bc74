export type CheckState = 'ok' | 'down' | 'unconfigured';

/** How long an answer is waited for, in milliseconds. */
const answerMsMax = 2_000;

/** The state of something that says whether it answers; undefined: there is none. */
export async function stateOf(alive: Promise<boolean> | undefined): Promise<CheckState> {
  if (alive === undefined) return 'unconfigured';
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), answerMsMax);
  });
  const state = await Promise.race([alive, late]);
  clearTimeout(timer);
  return state ? 'ok' : 'down';
}
