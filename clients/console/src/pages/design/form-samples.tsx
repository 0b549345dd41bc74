import { useState } from 'react';
import { ComboBox } from '../../design/combobox.tsx';
import { DateField } from '../../design/date-field.tsx';
import { type Option, TextField } from '../../design/field.tsx';
import { Form } from '../../design/form.tsx';
import { NumberField } from '../../design/number-field.tsx';
import { TextArea } from '../../design/text-area.tsx';
import { announce } from '../../design/toast.tsx';
import { refusal } from '../../graph/envelope.ts';
import { Samples } from './samples.tsx';

const zones: readonly Option[] = ['Africa/Nairobi', 'America/New_York', 'Asia/Tokyo', 'Europe/Berlin'].map((zone) => ({
  id: zone,
  name: zone,
}));

/** How long the made-up gateway takes to answer, in milliseconds. */
const answersAfterMs = 150;

export function FormSamples() {
  const [zone, setZone] = useState<string | null>('Europe/Berlin');
  const [table, setTable] = useState<string | null>('');
  const [text, setText] = useState('A text that is too long.');
  const [error, setError] = useState<ReturnType<typeof refusal>>();
  const [sent, setSent] = useState(0);
  const send = async (values: FormData) => {
    setSent((times) => times + 1);
    setError(undefined);
    await new Promise((resolve) => setTimeout(resolve, answersAfterMs));
    if (values.get('slug') === 'taken') {
      setError(refusal('VALIDATION_FAILED', 'slug: Another project has it.'));
      return false;
    }
    announce('The project was made.');
    return true;
  };
  return (
    <>
      <Samples title="Form">
        <Form
          label="New project"
          submit="Create project"
          cancel={() => announce('The form was left.')}
          send={send}
          error={error}
          labels={{ slug: 'Address' }}
        >
          <TextField label="Name" name="name" isRequired />
          <TextField label="Address" name="slug" hint="The address “taken” is refused." />
          <p className="small quiet">Sent {sent} times</p>
        </Form>
      </Samples>
      <Samples title="Text of several lines">
        <TextArea label="Note" placeholder="It grows with its text." />
        <TextArea label="Policy" mono defaultValue="auth.uid() = user_id" hint="An expression of PostgreSQL." />
        <TextArea label="Short" value={text} onChange={setText} most={12} />
      </Samples>
      <Samples title="Numbers">
        <NumberField label="Seats" defaultValue={3} minValue={1} />
        <NumberField label="Limit" hint="Requests a second" defaultValue={1_200} step={100} />
        <NumberField label="Refused" defaultValue={0} fault="At least one." />
        <NumberField label="Not available" defaultValue={7} isDisabled />
      </Samples>
      <Samples title="Dates">
        <DateField label="From" defaultValue="2026-11-25" />
        <DateField label="At" precision="minute" defaultValue="2026-11-25T22:45" />
        <DateField label="Refused" defaultValue="2020-01-01" fault="It has passed." />
        <DateField label="Not available" defaultValue="2026-11-25" isDisabled />
      </Samples>
      <Samples title="One of many">
        <ComboBox label="Time zone" options={zones} value={zone} onChange={setZone} />
        <ComboBox
          label="Table"
          options={zones}
          value={table}
          onChange={setTable}
          takesAny
          placeholder="Takes any text"
        />
        <ComboBox label="Refused" options={zones} value={null} onChange={setZone} fault="Choose one." />
        <ComboBox label="Not available" options={zones} value="Asia/Tokyo" onChange={setZone} isDisabled />
      </Samples>
    </>
  );
}
