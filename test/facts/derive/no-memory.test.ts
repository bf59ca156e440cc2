import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(remark: string, files: Readonly<Record<string, string>> = {}) {
  const source = aSnapshot({ 'previous.log': `# ${remark}\n`, ...files });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('what people tell of something that is no memory', () => {
  it.each([
    [
      'none.comm',
      'both nodes print "waiting for peers" and nothing else; opening port 29500 in the security group helped',
    ],
    ['none.comm', 'rank 3 never joins, other ranks sit in barrier for half an hour'],
    ['none.comm', '两台机器通信不通，主节点一直等待另一台加入，关掉防火墙后就好了'],
    ['none.comm', 'seven of eight cards at 100 %, one at 0 %, no tokens any more'],
    ['none.comm', '七张卡 100%，一张卡 0%，不再返回'],
    ['none.other', 'then Running: 0 reqs, Waiting: 50 reqs, and it stays so'],
    ['none.other', 'later the status line is printed every 5 seconds, no token is generated'],
    ['none.probe-kill', 'answers to /health take more than 1 s, three missed in a row, the pod is NotReady'],
    ['none.preemption-warning', 'GPU KV cache usage reaches 100 % with two requests; the server goes on'],
    ['none.scheduling', 'the app is not deployed: resources of the placement group are exhausted'],
    ['none.gpu-fault', 'device-side assert triggered whenever this adapter is loaded'],
    ['none.gpu-fault', 'GPU 6 disappeared from nvidia-smi, only a reboot brings it back'],
    ['none.gpu-fault', 'the entire system crashes and reboots at the warm-up'],
    ['none.gpu-fault', '跑一会儿就报非法内存访问，显存只用了一半'],
    ['none.config', 'model folder was mounted one level too deep, config.json not found'],
    ['none.config', '--tensor-parallel-size 3 does not divide 28 attention heads'],
    ['none.config', 'T4: bfloat16 is not supported, --dtype half works'],
    ['none.config', '模型路径写错了，容器里是 /data/models'],
    ['none.driver', 'container does not see any GPU, nvidia runtime was not the default'],
    ['none.driver', 'ollama runs on CPU only since the apt upgrade, card idle'],
    ['none.config', 'a Python module is missing in the image of the workers'],
    ['none.driver', '容器里识别不到显卡'],
    ['none.probe-kill', 'startupProbe gives 10 minutes, the load takes 14'],
    ['none.probe-kill', 'container is restarted exactly every 300 s while it loads the weights, exit 143'],
    ['none.preemption-warning', 'cache usage at 99 %, requests queue up, nobody gets an error, just slow'],
    ['none.preemption-warning', 'KV cache usage 99 %, throughput drops, no 5xx, request_success keeps rising'],
    ['none.preemption-warning', 'KV 缓存 100%，一直排队，没有报错也没有重启'],
    ['none.request-rejected', 'only this client gets a 400, prompt of 40k tokens against max 32k, others are fine'],
    ['none.scheduling', 'autoscaler does not add a node, no capacity for p5 in the zone'],
    ['none.scheduling', '一直 Pending，没有可用的节点'],
    ['none.comm', 'rank 1 logs "Connect to 10.1.4.2:29500 refused", rank 0 was still downloading'],
    ['none.gpu-fault', 'cuda error 700 in the moe kernel with expert parallel; with the TRITON backend: good'],
    ['none.config', '模型文件下载不完整，少了 tokenizer.json'],
    ['none.config', 'typo in --max-model-len, it is read as a file'],
    ['none.driver', 'secure boot on, module not loaded since the new kernel'],
    ['none.scheduling', 'Kueue holds the job, ClusterQueue has no GPU left'],
    ['none.other', '/var/lib/containerd 100 %, the image of 22 GB cannot be unpacked'],
    ['none.other', '模型放在机械盘上，加载要 40 分钟，之后一切正常'],
    ['none.other', 'container ends with exit code 0 every two minutes, Completed, restarts 40'],
    ['none.other', 'inodes of the node exhausted, writes fail'],
    ['none.other', 'model volume 100 %, the download of shard 11 stops with os error 28'],
    ['none.other', 'decode is 31 tok/s here, a friend has 58 tok/s with the same card'],
    ['none.other', '0.1 release: the answers are "!!!!!!!!", speed normal'],
  ])('leads a guess at %s: %s', async (cause, remark) => {
    expect(await verdictOf(remark)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it.each([
    ['an hour after "Loading weights" the same line; GPU-Util 0 %, no exit'],
    ['strace shows only futex waits, ctrl-c does nothing'],
    ['accepts connections, sends no token'],
    ['加载到一半就不动了，两个小时没有任何输出，进程还在'],
  ])('is a standstill where nothing ended: %s', async (remark) => {
    expect(await verdictOf(remark)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });

  it('is told by what cards do, and not by what is held on them', async () => {
    expect(await verdictOf('GPU memory of three cards is 100 % and of one at 0 %')).not.toMatchObject({
      cause: 'none.comm',
    });
  });

  it('is a matter of several where several wait', async () => {
    const alone = await verdictOf('hangs after the first request, py-spy shows a futex');
    const several = await verdictOf('hangs after the first request, all 8 ranks, py-spy shows a futex');

    expect([alone.cause, several.cause]).toEqual(['none.other', 'none.comm']);
  });

  it.each([
    ['stuck at 90 %, swap is full'],
    ['it is stuck with 47.9 of 48 GB in use'],
    ['stays here for some minutes, then the container is gone'],
  ])('is no standstill where memory is short, or the process ended: %s', async (remark) => {
    expect((await verdictOf(remark)).plane).not.toBe('none');
  });

  it('is read in the rows of nvidia-smi', async () => {
    const rows = '|ERR!  ERR!  ERR!             N/A /  ERR! |   61312MiB /  81920MiB |     ERR!     Default |\n';

    expect(await verdictOf('that is all there is', { 'nvidia-smi.txt': rows })).toMatchObject({
      cause: 'none.gpu-fault',
    });
  });
});

describe('a question about memory that is as it should be', () => {
  it.each([
    ['why does a 0.5B model take 21 GB of my 24 GB card? it answers fine'],
    ['htop says VIRT 180G, is that a leak? RES is 6 GB'],
    ['expected 16 GB for the 8B, saw 70 GB, everything works'],
    ['memory rose to 14 GB on the first day and then stayed there for eleven days'],
    ['free shows 118G buff/cache after load, afraid of a leak; never killed'],
    ['asks how to free the 30 GB of VRAM while nobody uses the server'],
    ['0.6B 的模型启动后占了 40G 显存，请问正常吗？能正常回答'],
  ])('is no failure: %s', async (remark) => {
    expect(await verdictOf(remark)).toMatchObject({ plane: 'none', cause: 'none.other', certain: false });
  });

  it.each([
    ['the 8B was expected to take 16 GB but the card has 12, does not start'],
    ['expected 16 GB, saw RSS of 61 GB and then 137'],
    ['RSS climbs 300 MB per hour, is this normal?'],
    ['the server answers short prompts, a 60k prompt takes 3 GB more and it is dead'],
    ['RAM goes up by 1 GB each hour, GPU memory flat. asks whether it is normal'],
    ['压测一万次后进程多占 3.6G，再压一万次又多 3.5G，不压就不变'],
  ])('is one where something ended, or goes on growing: %s', async (remark) => {
    expect((await verdictOf(remark)).plane).not.toBe('none');
  });
});

describe('what is denied, advised or not known', () => {
  it.each([
    ['no Xid, no segfault in dmesg, the process is just gone'],
    ['not a driver problem, nvidia-smi works; container dies with 137 at the memory limit'],
    ['exit code 137 in the CI log, whether a probe exists is unknown'],
    ['400 requests in parallel and the server is gone'],
    ['works with tp=4, with tp=2 it does not start'],
    ['--max-model-len of the config was wrong (131072), with 16384 it starts on the same L4'],
    ['two pods wait for the GPU memory of the old one; after deleting the old pod both start'],
    ['probes are fine. exit 137 ten minutes after start, node had 2 GB left'],
    ['path ok, token ok, driver 570. The 70B in bf16 refuses on one A100'],
    ['restarted each time at 3 min while loading, limit 16Gi, memory graph at 16Gi at that moment'],
    ['disk is fine (40 % used), RAM 251 of 251 GB while loading'],
  ])('tells of nothing else: %s', async (remark) => {
    expect((await verdictOf(remark)).plane).not.toBe('none');
  });

  it('is no kill either', async () => {
    const found = await verdictOf('exit 139, OOMKilled=false, RAM and VRAM half empty, 0 restarts before');

    expect(found).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});
