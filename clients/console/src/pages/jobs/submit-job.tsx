import { useState } from 'react';
import { Select, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { Modal } from '../../design/modal.tsx';
import { Skeleton } from '../../design/status.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { announce } from '../../design/toast.tsx';
import { useChange } from '../../graph/use-change.ts';
import { useAsk } from '../../graph/use-live-query.ts';
import { exactDollars } from './job-money.ts';
import { JobTypesDocument, SubmitJobDocument } from './jobs.graphql.ts';

interface SubmitJobProps {
  readonly project: string;
  readonly close: () => void;
}

/** What a text of JSON holds; undefined where it is no object. */
function objectOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The dialog that submits a job. */
export function SubmitJob({ project, close }: SubmitJobProps) {
  const submit = useChange(SubmitJobDocument);
  const types = useAsk(JobTypesDocument, {}).data?.jobTypes;
  const [name, setName] = useState('');
  const [input, setInput] = useState('{}');
  const [cap, setCap] = useState('0.05');
  const [callback, setCallback] = useState('');
  const type = types?.find((one) => one.name === name) ?? types?.[0];
  const given = objectOf(input);
  const micros = Math.round(Number(cap) * 1_000_000);
  const isCap = cap.trim() !== '' && Number.isFinite(micros) && micros >= 0;
  return (
    <Modal title="Submit a job" isOpen close={close} kind="alert">
      {types == null || type === undefined ? (
        <Skeleton lines={4} />
      ) : (
        <Form
          label="Job"
          submit="Submit job"
          cancel={close}
          error={submit.error}
          isDisabled={given === undefined || !isCap}
          labels={{ request: 'Job', callback_url: 'Callback' }}
          send={async () => {
            const callbackUrl = callback.trim() === '' ? {} : { callbackUrl: callback.trim() };
            const made = await submit.run({
              project,
              request: {
                jobType: type.name,
                input: { inputJson: given! },
                maxCostUsdMicros: micros,
                ...callbackUrl,
              },
            });
            if (made === undefined) return false;
            announce('The job is submitted.');
            close();
            return true;
          }}
        >
          <Select
            label="Type"
            options={types.map((one) => ({ id: one.name, name: one.name }))}
            value={type.name}
            onChange={setName}
          />
          <p className="quiet small">
            {type.description} It costs {exactDollars(type.perJobUsdMicros)} and {exactDollars(type.perSecondUsdMicros)}{' '}
            for each second, and takes at most {type.maxSeconds} seconds.
          </p>
          <TextArea
            label="Input"
            hint="A JSON object, as the type takes it."
            mono
            rows={6}
            value={input}
            onChange={setInput}
            fault={given === undefined ? 'It is no JSON object.' : undefined}
          />
          <details>
            <summary>What the type takes</summary>
            <pre className="small">{JSON.stringify(type.inputSchema, null, 2)}</pre>
          </details>
          <TextField
            label="Most that it may cost, in dollars"
            hint="As much is held of the balance until it ends."
            value={cap}
            onChange={setCap}
            fault={isCap ? undefined : 'It is no amount.'}
            inputMode="decimal"
            autoComplete="off"
          />
          <TextField
            label="Callback"
            hint="An https address that is told of its end. Leave it empty for none."
            value={callback}
            onChange={setCallback}
            placeholder="https://…"
            autoComplete="off"
            spellCheck="false"
          />
        </Form>
      )}
    </Modal>
  );
}
