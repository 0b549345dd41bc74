import { byCodePoint } from '../canonical-json.ts';

/** Something that whoever deploys should know of first. Contract 03, section 2.16. */
export interface Warning {
  readonly code: string;
  readonly severity: 'info' | 'warn' | 'high';
  /** Clients deploy only once somebody has agreed. */
  readonly requiresConfirmation: boolean;
  readonly message: string;
  readonly affected?: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  /** It was concluded from text, and may be wrong. */
  readonly confidence?: 'heuristic';
}

/** By code, then by what is affected. */
export const inOrder = (warnings: readonly Warning[]): Warning[] =>
  [...warnings].sort(
    (a, b) => byCodePoint(a.code, b.code) || byCodePoint((a.affected ?? []).join(), (b.affected ?? []).join()),
  );

/** A rule: what it is called, how grave it is, and what it finds. */
export interface Rule<Facts> extends Pick<Warning, 'code' | 'severity' | 'message' | 'confidence'> {
  readonly confirm: boolean;
  /** What is affected; empty: nothing. True: it holds without naming anything. */
  readonly finds: (facts: Facts) => readonly string[] | boolean;
  readonly details?: (facts: Facts, affected: readonly string[]) => Readonly<Record<string, unknown>>;
}

/** What rules find. */
export function warningsOf<Facts>(rules: readonly Rule<Facts>[], facts: Facts): Warning[] {
  return rules.flatMap(({ code, severity, message, confidence, confirm, finds, details }) => {
    const found = finds(facts);
    const affected = typeof found === 'boolean' ? [] : [...found].sort(byCodePoint);
    if (found === false || (found !== true && affected.length === 0)) return [];
    return [
      {
        code,
        severity,
        requiresConfirmation: confirm,
        message,
        ...(affected.length === 0 ? {} : { affected }),
        ...(details === undefined ? {} : { details: details(facts, affected) }),
        ...(confidence === undefined ? {} : { confidence }),
      },
    ];
  });
}
