/** An event of a deploy, as the gateway tells it. */
export interface DeployEvent {
  readonly type: string;
  readonly phase?: string;
  readonly status?: string;
  readonly message?: string | null;
  /** A line of the log of a build, and what was built. */
  readonly line?: string;
  readonly resource?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly created_at?: string;
}

/** Phases of a deploy in their order, with their names for people. */
export const phaseNames: Readonly<Record<string, string>> = {
  validate: 'Check',
  stage: 'Stage',
  'migrate-gate': 'Gate',
  migrate: 'Migrate',
  'schema-settle': 'Settle',
  activate: 'Go live',
  ready: 'Ready',
};

export type StepStatus = 'open' | 'started' | 'done' | 'skipped' | 'failed';

/** How far a phase has come. */
export interface Step {
  readonly phase: string;
  readonly status: StepStatus;
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** Each change of a phase is told in a short form and in this one. */
export const isDetail = ({ type }: DeployEvent): boolean => type === 'commit.phase.detail';

/** What a log shows, a line each. */
export const isLine = (event: DeployEvent): boolean => isDetail(event) || event.type === 'log';

/** Where each phase stands after these events. A phase that was tried again counts from its last beginning. */
export function stepsOf(events: readonly DeployEvent[]): readonly Step[] {
  const known = new Map<string, Step>();
  for (const { phase, status, created_at: at } of events.filter(isDetail)) {
    if (phase === undefined || status === undefined) continue;
    const from = status === 'started' ? at : (known.get(phase)?.from ?? at);
    known.set(phase, { phase, status: status as StepStatus, from, to: status === 'started' ? undefined : at });
  }
  return Object.keys(phaseNames).map(
    (phase) => known.get(phase) ?? { phase, status: 'open', from: undefined, to: undefined },
  );
}

/** What an event tells beside its phase, in words. */
export function factsOf({ details = {} }: DeployEvent): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join(' · ');
}
