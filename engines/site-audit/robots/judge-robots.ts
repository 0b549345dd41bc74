import { short } from '../rubric/check.ts';
import { comparable, type RobotsFile, type RobotsGroup, type RobotsRule } from './parse-robots.ts';

/** Whether a crawler may read a path, and what says so. */
export interface RobotsVerdict {
  readonly allowed: boolean;
  /** The token whose group decided; null when none did. */
  readonly group: string | null;
  readonly rule: { readonly text: string; readonly line: number } | null;
}

/** Judges by the status that robots.txt was answered with, and by what it says. RFC 9309, section 2.3.1. */
export type RobotsSource =
  | { readonly kind: 'file'; readonly file: RobotsFile }
  /** There is none: everything is allowed. */
  | { readonly kind: 'absent' }
  /** It could not be had: nothing is allowed. */
  | { readonly kind: 'unreachable' };

/** What the answer to a request for robots.txt means. */
export function robotsSource(status: number | undefined, read: () => RobotsFile): RobotsSource {
  if (status !== undefined && status >= 200 && status < 300) return { kind: 'file', file: read() };
  return { kind: status !== undefined && status >= 300 && status < 500 ? 'absent' : 'unreachable' };
}

/**
 * @param path with its query, as in a URL
 * @returns what judges tokens; each rule is compared once, however many tokens share it
 */
export function robotsJudge(source: RobotsSource, path: string): (token: string) => RobotsVerdict {
  if (source.kind !== 'file') return () => ({ allowed: source.kind === 'absent', group: null, rule: null });
  const { groups } = source.file;
  const compared = comparable(path);
  const verdicts = new Map<string, RobotsVerdict>();
  // Each group's own, whichever agent it names: of all that fit, one decides.
  const deciding = new Map<RobotsGroup, RobotsRule | undefined>();
  const decidingOf = (group: RobotsGroup): RobotsRule | undefined => {
    if (!deciding.has(group)) deciding.set(group, decidingRule(group.rules, compared));
    return deciding.get(group);
  };
  const judge = (group: string): RobotsVerdict => {
    const rule = groups
      .filter(({ agents }) => agents.includes(group))
      .map(decidingOf)
      .reduce<RobotsRule | undefined>((best, one) => (decides(one, best) ? one : best), undefined);
    const told = rule === undefined ? null : { text: short(rule.text), line: rule.line };
    return { allowed: rule?.allow ?? true, group, rule: told };
  };
  return (token) => {
    if (compared === '/robots.txt') return { allowed: true, group: null, rule: null };
    const named = token.toLowerCase();
    const group = [named, '*'].find((name) => groups.some(({ agents }) => agents.includes(name)));
    if (group === undefined) return { allowed: true, group: null, rule: null };
    const verdict = verdicts.get(group) ?? judge(group);
    verdicts.set(group, verdict);
    return verdict;
  };
}

/** The longest pattern that fits; of two as long the one that allows. */
function decidingRule(rules: readonly RobotsRule[], path: string): RobotsRule | undefined {
  let best: RobotsRule | undefined;
  for (const rule of rules) if (decides(rule, best) && fits(rule.pattern, path)) best = rule;
  return best;
}

/** Whether a rule that fits decides rather than another one that does. */
function decides(rule: RobotsRule | undefined, best: RobotsRule | undefined): boolean {
  const longer = (rule?.pattern.length ?? -1) - (best?.pattern.length ?? -1);
  return longer > 0 || (longer === 0 && rule?.allow === true);
}

/** Whether a pattern fits a path, from its beginning: `*` is any run, `$` at the end the path's end. */
export function fits(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const parts = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  const [first = '', ...rest] = parts;
  if (!path.startsWith(first)) return false;
  if (rest.length === 0) return !anchored || path.length === first.length;
  let at = first.length;
  const last = anchored ? rest.pop()! : undefined;
  for (const part of rest) {
    const found = path.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return last === undefined || (path.length - last.length >= at && path.endsWith(last));
}
