import { Globe, Lock } from 'lucide-react';
import { useState } from 'react';
import { Checkbox, SearchField, Select, Switch, TextField } from '../../design/field.tsx';
import { Samples } from './samples.tsx';

export function FieldSamples() {
  const [search, setSearch] = useState('orders');
  const [access, setAccess] = useState<string | null>('public');
  const [kept, setKept] = useState(true);
  const options = [
    { id: 'public', name: 'Everybody reads', icon: Globe },
    { id: 'private', name: 'Owners alone', icon: Lock },
  ];
  return (
    <>
      <Samples title="Text">
        <TextField label="Name" placeholder="Analytical Engines" />
        <TextField label="With a hint" hint="Letters, digits and dashes." defaultValue="engines" />
        <TextField label="Refused" fault="Another organization has this name." defaultValue="taken" />
        <TextField label="Not available" isDisabled defaultValue="org_0190" />
      </Samples>
      <Samples title="Several lines">
        <TextField label="Message" multiline defaultValue={'First line\nSecond line\nThird line'} />
      </Samples>
      <Samples title="Search and choice">
        <SearchField label="Search tables" value={search} onChange={setSearch} />
        <Select label="Access" options={options} value={access} onChange={setAccess} />
        <Select label="Nothing chosen" options={options} value={null} onChange={setAccess} />
        <Select label="Refused" fault="Choose one." options={options} value={null} onChange={setAccess} />
        <Select label="Not available" options={options} value="private" onChange={setAccess} isDisabled />
      </Samples>
      <Samples title="Yes or no">
        <Checkbox isSelected={kept} onChange={setKept}>
          Keep the rows
        </Checkbox>
        <Checkbox isSelected={false} onChange={() => {}}>
          Not chosen
        </Checkbox>
        <Checkbox isSelected={false} isIndeterminate onChange={() => {}}>
          Some of them
        </Checkbox>
        <Checkbox isSelected isDisabled onChange={() => {}}>
          Not available
        </Checkbox>
        <Switch isSelected={kept} onChange={setKept}>
          Live
        </Switch>
        <Switch isSelected={false} onChange={() => {}}>
          Off
        </Switch>
        <Switch isSelected isDisabled onChange={() => {}}>
          Not available
        </Switch>
      </Samples>
    </>
  );
}
