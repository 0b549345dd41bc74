import { bytes } from '../../design/amounts.ts';
import { Meter } from '../../design/meter.tsx';
import { Panel } from '../../design/section.tsx';
import type { Project } from './shown-project.ts';

/** What the project uses, beside what the plan of its organization allows. */
export function Limits({ usage }: Pick<Project, 'usage'>) {
  return (
    <Panel title="Use of the tier">
      <Meter label="Requests with the project’s keys, this period" used={usage.apiCalls} limit={usage.apiCallsLimit} />
      <Meter label="Storage" used={usage.storageBytes} limit={usage.storageBytesLimit} format={bytes} />
    </Panel>
  );
}
