import { X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { IconButton } from '../../design/button.tsx';
import { CodeBlock } from '../../design/code.tsx';
import { Facts } from '../../design/facts.tsx';
import { Panel } from '../../design/section.tsx';
import { Wallet } from '../../design/wallet.tsx';
import { When } from '../../design/when.tsx';
import { AuditActor } from './audit-actor.tsx';
import { actionName, type Entry } from './audit-words.ts';

interface AuditEntryProps {
  readonly entry: Entry;
  readonly close: () => void;
}

/** Everything that the trail holds of one change. */
export function AuditEntry({ entry, close }: AuditEntryProps) {
  const { eventId, action, actor, objectKind, objectId, details, occurredAt, traceId } = entry;
  const place = useRef<HTMLDivElement>(null);
  // On narrow screens the panel is above the table, which may be out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each entry that is chosen comes into sight.
  useEffect(() => void place.current?.scrollIntoView({ block: 'nearest' }), [eventId]);
  return (
    <div ref={place} className="audit-entry">
      <Panel title={actionName(action)} actions={<IconButton small icon={X} label="Close the entry" onPress={close} />}>
        <Facts
          facts={[
            ['Action', <code key="action">{action}</code>],
            ['Actor', <AuditActor key="actor" actor={actor} copies />],
            ['Object', objectKind.replaceAll('_', ' ')],
            ['Object id', <Wallet key="object" address={objectId} what="the id of the object" />],
            ['Time', <When key="at" at={occurredAt} exact />],
            ['Trace', <Wallet key="trace" address={traceId} what="the trace id" />],
          ]}
        />
        <CodeBlock title="Details" code={JSON.stringify(details, null, 2)} />
        <CodeBlock title="Actor, as it was then" code={JSON.stringify(actor, null, 2)} />
      </Panel>
    </div>
  );
}
