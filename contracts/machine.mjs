// A chain in memory for tests and benchmarks: node machine.mjs [ADDRESS ...]. It compiles and runs contracts and counts
// their gas, and answers one line of JSON with another. At each ADDRESS no precompiled contract stands.
import { createInterface } from "node:readline";
import { createEVM } from "@ethereumjs/evm";
import { compiled } from "./compile.mjs";

const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
const hex = (data) => Buffer.from(data).toString("hex");
const PLENTY = 10_000_000;

// Without a function, the address is as empty as on a chain that lacks the contract.
const absent = process.argv.slice(2).map((address) => ({ address }));
const evm = await createEVM({ customPrecompiles: absent });
const places = new Map();

/** Runs a message as a transaction of its own: of what earlier ones touched, it finds nothing warm but these addresses. */
const run = async (message) => {
  await evm.journal.cleanup();
  evm.stateManager.originalStorageCache.clear();
  for (const address of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(address, true);
  return evm.runCall(message);
};

const commands = {
  /** The name of the rules that the machine follows. */
  rules: () => evm.common.hardfork(),

  /** What the compiler makes of sources, by file and contract. */
  compile: ({ sources, settings }) => compiled(sources, settings),

  /** Deploys code: its address, and the gas that the execution takes. */
  deploy: async ({ code }) => {
    const { createdAddress, execResult } = await run({ data: bytes(code), gasLimit: BigInt(PLENTY) });
    if (execResult.exceptionError) throw new Error(`not deployed: ${execResult.exceptionError.error}`);
    places.set(createdAddress.toString(), createdAddress);
    return { address: createdAddress.toString(), gas: Number(execResult.executionGasUsed) };
  },

  /** Calls a contract: the gas of the execution alone, what it returns, how it failed, and the topics of its events. */
  call: async ({ to, data, gas = PLENTY }) => {
    const call = { to: places.get(to), data: bytes(data), gasLimit: BigInt(gas) };
    const { execResult } = await run(call);
    const failed = execResult.exceptionError?.error ?? null;
    const events = (execResult.logs ?? []).map(([, topics]) => topics.map(hex));
    return { gas: Number(execResult.executionGasUsed), output: hex(execResult.returnValue), failed, events };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...words } = JSON.parse(line);
  let answer;
  try {
    answer = { value: await commands[command](words) };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
