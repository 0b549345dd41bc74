import type { ReactNode } from 'react';

interface FactsProps {
  /** Names and values. A value that is undefined or null is left out with its name. */
  readonly facts: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names and values of one thing. */
export function Facts({ facts }: FactsProps) {
  return (
    <dl className="facts">
      {facts.map(
        ([name, value]) =>
          value !== undefined &&
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
