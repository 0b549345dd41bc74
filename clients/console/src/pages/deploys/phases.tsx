import { Check, Circle, CircleX, type LucideIcon, Minus } from 'lucide-react';
import { phaseNames, type Step, type StepStatus } from './deploy-events.ts';
import { duration } from './duration.ts';

const marks: Readonly<
  Record<StepStatus, { readonly icon?: LucideIcon; readonly mood: string; readonly word: string }>
> = {
  open: { icon: Circle, mood: 'plain', word: 'not begun' },
  started: { mood: 'accent', word: 'under way' },
  done: { icon: Check, mood: 'good', word: 'done' },
  skipped: { icon: Minus, mood: 'plain', word: 'not needed' },
  failed: { icon: CircleX, mood: 'bad', word: 'failed' },
};

/** The phases of a deploy in their order, and how far it has come. */
export const Phases = ({ steps }: { readonly steps: readonly Step[] }) => (
  <ol className="deploy-phases" aria-label="Phases">
    {steps.map(({ phase, status, from, to }) => {
      const { icon: Icon, mood, word } = marks[status];
      return (
        <li key={phase} className={`deploy-phase ${mood}`} aria-current={status === 'started' ? 'step' : undefined}>
          <span className="deploy-mark">
            {Icon === undefined ? (
              <span className="spinner" aria-hidden="true" />
            ) : (
              <Icon className="icon" aria-hidden="true" />
            )}
          </span>
          <span className="deploy-phase-name">{phaseNames[phase]}</span>
          <span className="small quiet">
            {word}
            {status === 'done' && from !== undefined && to !== undefined && from !== to && `, ${duration(from, to)}`}
          </span>
        </li>
      );
    })}
  </ol>
);
