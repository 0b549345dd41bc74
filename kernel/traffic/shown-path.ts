/** Longest path that is kept, in characters. */
const pathMax = 512;

const hidden = '[hidden]';

const isId = (parameter: string) => /^:(.*_)?id$/.test(parameter);
const holdsSecret = (parameter: string) => /token|secret|code|password|otp|hash/.test(parameter);

/**
 * The path of a request as a log may show it: without its query string, and without what a link carries in its path as
 * proof. Ids and names stay.
 *
 * @param route pattern that the path was found by, such as `/rest/v1/:table`; another text: none was
 */
export function shownPath(route: string, path: string): string {
  const pattern = route.split('/');
  const parts = path.split('/');
  const isMatched = pattern.length === parts.length;
  const shown = parts.map((part, at) => {
    const asked = isMatched ? pattern[at]! : '';
    if (isMatched && part === asked) return part;
    if (holdsSecret(asked) || part.startsWith('eyJ') || part.length > 128) return hidden;
    return isMatched && isId(asked) ? part : looksDrawn(part) ? hidden : part;
  });
  const whole = shown.join('/');
  return whole.length > pathMax ? `${whole.slice(0, pathMax - 1)}…` : whole;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a part of a path looks as if it was drawn at random: what guards something has at least so many characters. */
function looksDrawn(part: string): boolean {
  if (part.length < 16 || uuid.test(part) || /^(prj|org|prn|rel|evt|msg)_/.test(part)) return false;
  if (/^[0-9a-f]+$/i.test(part)) return true;
  return /\d/.test(part) && /[a-z]/.test(part) && (/[A-Z]/.test(part) || part.length >= 32);
}
