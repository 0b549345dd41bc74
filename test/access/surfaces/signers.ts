import type { Stage, Surfaces } from './surface.ts';

const somewhere = '0x00000000000000000000000000000000000000a1';
const abi = [{ type: 'function', name: 'ping', stateMutability: 'nonpayable', inputs: [], outputs: [] }];
const abiInGraph = '[{ type: "function", name: "ping", stateMutability: "nonpayable", inputs: [], outputs: [] }]';

export const signerSurfaces = ({ params, service }: Stage): Surfaces => {
  const idOf = (prefix: string) => `${prefix}_of_${params.project_id!}`;
  /** A signer of this project's with a call that is over; the same each time. The stage has no chain. */
  const signer = async () => {
    const { sql } = service.control;
    const ids = [params.project_id, idOf('cwlt'), idOf('ccall')];
    await sql(
      `insert into signers (id, org_id, project_id, chain, address, last_rent_debited_on)
       select $2, org_id, id, 'base-sepolia', '0x00000000000000000000000000000000000000b2', current_date + 1
       from projects where id = $1
       on conflict (id) do update set status = 'active', deleted_at = null`,
      ids.slice(0, 2),
    );
    await sql('insert into signer_nonces (signer_id) values ($1) on conflict do nothing', [ids[1]]);
    await sql(
      `insert into contract_calls (id, org_id, project_id, signer_id, chain, kind, intent, contract_address, data, value_wei,
         max_cost_wei, status, tx_hash, due_at)
       select $3, org_id, id, $2, 'base-sepolia', 'call', 'x', '${somewhere}', '', '0', '0', 'confirmed', '0x${'ab'.repeat(32)}', null
       from projects where id = $1 on conflict do nothing`,
      ids,
    );
    return { signer_id: idOf('cwlt'), call_id: idOf('ccall') };
  };
  const search = () => `?project_id=${params.project_id}`;
  const inBody = (more: object) => () => ({ project_id: params.project_id, ...more });
  const read = 'A + + + + + A F';
  const change = 'A + + F N + A F';
  const onChain = 'A E E F N E A F';
  const target = () => `project: "${params.project_id}", signer: "${idOf('cwlt')}"`;
  const one = '/contracts/v1/signers/:signer_id';
  const call = {
    chain: 'base-sepolia',
    contract_address: somewhere,
    abi_fragment: abi,
    function_name: 'ping',
    args: [],
  };
  const callInGraph = `chain: BASE_SEPOLIA, contractAddress: "${somewhere}", abiFragment: ${abiInGraph}, functionName: "ping", args: []`;
  const audited = (action: string) => ({
    action,
    kind: 'signer',
    objectId: 'signer_id',
    written: 'select xmin::text from signers where id = $1',
  });
  return {
    'POST /contracts/v1/signers': {
      cells: change,
      prepare: signer,
      body: inBody({ chain: 'base-sepolia' }),
      audited: audited('signer.provisioned'),
      field: () =>
        `mutation { provisionSigner(input: { project: "${params.project_id}", chain: BASE_SEPOLIA }) { signerId } }`,
    },
    'GET /contracts/v1/signers': {
      cells: read,
      prepare: signer,
      search,
      field: () => `{ project(id: "${params.project_id}") { signers { signerId } } }`,
    },
    [`GET ${one}`]: {
      cells: read,
      prepare: signer,
      search,
      field: () => `{ signer(${target()}) { signerId } }`,
    },
    [`POST ${one}/recovery-address`]: {
      cells: change,
      prepare: signer,
      body: inBody({ recovery_address: somewhere }),
      audited: audited('signer.recovery_address_set'),
      field: () =>
        `mutation { setSignerRecoveryAddress(input: { ${target()}, recoveryAddress: "${somewhere}" }) { signerId } }`,
    },
    [`POST ${one}/alert`]: {
      cells: change,
      prepare: signer,
      body: inBody({ threshold_wei: '5' }),
      audited: audited('signer.alert_set'),
      field: () => `mutation { setSignerLowBalanceAlert(input: { ${target()}, thresholdWei: "5" }) { signerId } }`,
    },
    [`GET ${one}/calls`]: {
      cells: read,
      addition: { status: 200, reason: 'whoever looks for a call need not have kept its id' },
      prepare: signer,
      search,
      field: () =>
        `{ project(id: "${params.project_id}") { contractCalls(signer: "${idOf('cwlt')}") { edges { node { callId } } } } }`,
    },
    [`POST ${one}/drain`]: {
      cells: onChain,
      prepare: signer,
      body: inBody({ destination_address: somewhere }),
      field: () => `mutation { drainSigner(input: { ${target()}, destinationAddress: "${somewhere}" }) { callId } }`,
    },
    [`DELETE ${one}`]: {
      cells: onChain,
      prepare: signer,
      search,
      field: () => `mutation { deleteSigner(input: { ${target()} }) { signerId } }`,
    },
    'POST /contracts/v1/call': {
      cells: onChain,
      prepare: signer,
      body: () => ({ project_id: params.project_id, signer_id: idOf('cwlt'), ...call }),
      field: () => `mutation { callContract(input: { ${target()}, ${callInGraph} }) { callId } }`,
    },
    'POST /contracts/v1/deploy': {
      cells: onChain,
      prepare: signer,
      body: () => ({
        project_id: params.project_id,
        signer_id: idOf('cwlt'),
        chain: 'base-sepolia',
        bytecode: '0x00',
      }),
      field: () =>
        `mutation { deployContract(input: { ${target()}, chain: BASE_SEPOLIA, bytecode: "0x00" }) { callId } }`,
    },
    'POST /contracts/v1/read': {
      cells: 'E E E E E E E E',
      body: () => call,
      field: () => `{ contractRead(${callInGraph}) { result } }`,
    },
    'GET /contracts/v1/calls/:call_id': {
      cells: read,
      prepare: signer,
      search,
      field: () => `{ contractCall(project: "${params.project_id}", call: "${idOf('ccall')}") { callId } }`,
    },
  };
};
