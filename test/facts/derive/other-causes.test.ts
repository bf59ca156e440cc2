import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(log: string, uptime = 'startup') {
  const files = { 'previous.log': log, 'incident.json': JSON.stringify({ uptime }) };
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('lines of engines, drivers, runtimes and clusters that are no lack of memory', () => {
  it.each([
    [
      'none.config',
      'startup',
      "llama_model_load: error loading model: error loading model architecture: unknown model architecture: 'qwen3next'",
    ],
    ['none.config', 'startup', "gguf_init_from_file_impl: invalid magic characters: 'vers', expected 'GGUF'"],
    [
      'none.config',
      'startup',
      "llama_model_load: error loading model: tensor 'blk.20.ffn_down.weight' data is not within the file bounds, model is corrupted or incomplete",
    ],
    [
      'none.config',
      'startup',
      'llama_model_load: error loading model: done_getting_tensors: wrong number of tensors; expected 292, got 291',
    ],
    ['none.config', 'startup', "llama_model_load: error loading model: missing tensor 'blk.0.attn_q_norm.weight'"],
    [
      'none.config',
      'startup',
      "llama_model_load: error loading model: error loading model vocabulary: unknown pre-tokenizer type: 'deepseek-r1-qwen'",
    ],
    ['none.config', 'startup', 'llama_init_from_model: V cache quantization requires flash_attn'],
    ['none.config', 'startup', 'llama_context: quantized V cache requires flash_attn to be enabled'],
    ['none.config', 'startup', 'error: invalid argument: --foo'],
    ['none.config', 'startup', 'error while handling argument "--ctx-size": stoi'],
    ['none.config', 'startup', "srv  start: couldn't bind HTTP server socket, hostname: 0.0.0.0, port: 8080"],
    ['none.driver', 'startup', 'warning: no usable GPU found, --gpu-layers option will be ignored'],
    [
      'none.config',
      'startup',
      "Error: llama runner process has terminated: error loading model: error loading model architecture: unknown model architecture: 'gptoss'",
    ],
    [
      'none.config',
      'startup',
      'Error: 500 Internal Server Error: this model is not supported by your version of Ollama. You may need to upgrade',
    ],
    ['none.config', 'startup', 'Error: pull model manifest: file does not exist'],
    ['none.config', 'startup', 'Error: listen tcp 127.0.0.1:11434: bind: address already in use'],
    ['none.driver', 'startup', 'level=INFO source=gpu.go:377 msg="no compatible GPUs were discovered"'],
    ['none.driver', 'startup', 'level=INFO source=routes.go:1141 msg="no GPU detected"'],
    ['none.driver', 'hours', 'level=WARN msg="unable to refresh free memory, using old values"'],
    ['none.request-rejected', 'hours', 'the input length exceeds the context length'],
    [
      'none.request-rejected',
      'hours',
      'send_error: task id = 0, error: input is too large to process. increase the physical batch size',
    ],
    [
      'none.request-rejected',
      'hours',
      'send_error: task id = 5, error: the request exceeds the available context size. try increasing the context size or enable context shift',
    ],
    ['none.config', 'startup', 'Error: ArgumentValidation("`max_input_tokens` must be < `max_total_tokens`")'],
    ['none.config', 'startup', 'Error: ArgumentValidation("`sharded` is true but only found 1 CUDA devices")'],
    [
      'none.config',
      'startup',
      'Error: Argument validation error: `max_batch_prefill_tokens` must be >= `max_input_tokens`. Given: 4096 and 8192',
    ],
    ['none.config', 'startup', "error: invalid value 'abc' for '--port <PORT>': invalid digit found in string"],
    ['none.config', 'startup', 'error: the following required arguments were not provided:'],
    ['none.request-rejected', 'hours', 'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000'],
    [
      'none.request-rejected',
      'hours',
      'ERROR compat_generate: Input validation error: `best_of` must be > 0 and <= 2. Given: 4',
    ],
    [
      'none.config',
      'startup',
      "E0101 00:00:00.000000 1 model_repository_manager.cc:1186] failed to load 'llama' version 1: Invalid argument: unable to find backend library 'libtriton_vllm.so'",
    ],
    [
      'none.config',
      'startup',
      'UNAVAILABLE: Not found: unable to load shared library: libtensorrt_llm.so: cannot open shared object file',
    ],
    ['none.config', 'startup', "tritonserver: unrecognized option '--modelrepository=/m'"],
    [
      'none.config',
      'startup',
      '[TensorRT-LLM][ERROR] IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion stdVersionRead == kSERIALIZATION_VERSION failed.Version tag does not match.',
    ],
    [
      'none.config',
      'startup',
      '[TRT] [E] 6: The engine plan file is not compatible with this version of TensorRT, expecting library version 9.2.0.5 got 9.3.0.1, please rebuild.',
    ],
    [
      'none.config',
      'startup',
      '[TRT] [E] The engine plan file is generated on an incompatible device, expecting compute 9.0 got compute 8.0, please rebuild.',
    ],
    [
      'none.config',
      'startup',
      '[TensorRT-LLM][ERROR] Assertion failed: With communicationMode kLEADER, MPI worldSize is expected to be equal to tp*pp when participantIds are not specified',
    ],
    [
      'none.request-rejected',
      'hours',
      '[TensorRT-LLM][ERROR] Prompt length (5000) exceeds maximum input length (4096). Set log level to info and check TRTGptModel logs for how maximum input length is set',
    ],
    [
      'none.request-rejected',
      'hours',
      'RuntimeError: The sum of prompt length (2047.0), query length (0) and max_tokens (256) should not exceed max_num_tokens (2048)',
    ],
    ['none.request-rejected', 'hours', 'Exceeds maximum queue size'],
    ['none.config', 'startup', 'AssertionError: tp should divide the number of attention heads'],
    ['none.config', 'startup', '[TM][FATAL] invalid cache mode: foo'],
    ['none.request-rejected', 'hours', 'session 3 finished, ResponseType.INPUT_LENGTH_ERROR, reason "length"'],
    [
      'none.request-rejected',
      'hours',
      'ERROR: Input length (9000 tokens) exceeds the maximum allowed length (8191 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ],
    ['none.request-rejected', 'hours', 'The request queue is full.'],
    [
      'none.request-rejected',
      'hours',
      'Multimodal prompt is too long after expanding multimodal tokens. After expanding len(req.origin_input_ids_unpadded)=12 => 9000 >= 8192.',
    ],
    ['none.request-rejected', 'hours', 'ValueError: At most 1 image(s) may be provided in one prompt.'],
    ['none.request-rejected', 'hours', 'ValueError: max_tokens must be at least 1, got -5.'],
    [
      'none.request-rejected',
      'hours',
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens",
    ],
    [
      'none.config',
      'startup',
      'ValueError: The quantization method awq is not supported for the current GPU. Minimum capability: 75. Current capability: 70.',
    ],
    ['none.config', 'startup', "ValueError: Unknown quantization method: fp4. Must be one of ['awq']."],
    ['none.config', 'startup', 'ValueError: FlashAttention does not support fp8 kv-cache on this device.'],
    ['none.config', 'startup', 'NotImplementedError: FlexAttention does not support quantized kv-cache. Yet'],
    ['none.config', 'startup', 'ValueError: Unknown kv cache dtype: fp9'],
    ['none.config', 'startup', 'ValueError: fp8_e5m2 kv-cache is not supported with fp8 checkpoints.'],
    [
      'none.config',
      'startup',
      'NotImplementedError: Hybrid models with more than one KV cache type are not supported yet.',
    ],
    [
      'none.config',
      'startup',
      'ValueError: KV cache layout mismatch: found 2 different layouts (NHD, HND).All connectors must use the same layout.',
    ],
    [
      'none.config',
      'startup',
      'RuntimeError: KV cache dtype mismatch: prefill server has kv_cache_dtype=auto, but decode server has kv_cache_dtype=fp8_e4m3.',
    ],
    ['none.config', 'startup', 'AssertionError: --enable-unified-memory does not support --enable-two-batch-overlap'],
    ['none.config', 'startup', 'ValueError: --hicache-host-memory-mode must be in (0, 1].'],
    ['none.config', 'startup', 'ValueError: GPU memory utilization must be less than 1.0. Got 1.2.'],
    [
      'none.config',
      'startup',
      'AssertionError: Multiple KV cache groups are not currently supported with KV connectors',
    ],
    [
      'none.config',
      'startup',
      'ValueError: HybridKVCacheCoordinator assumes the full attention group ids and other attention group ids do not interleave',
    ],
    ['none.config', 'startup', 'Exception: Port 30000 is already in use. Please use a different port.'],
    [
      'none.config',
      'startup',
      "ERROR:    [Errno 98] error while attempting to bind on address ('0.0.0.0', 8000): address already in use",
    ],
    [
      'none.config',
      'startup',
      "OSError: meta-llama/Llama is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
    ],
    [
      'none.config',
      'startup',
      "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.",
    ],
    [
      'none.config',
      'startup',
      'huggingface_hub.errors.LocalEntryNotFoundError: Cannot find the requested files in the disk cache and outgoing traffic has been disabled.',
    ],
    [
      'none.config',
      'startup',
      'Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-3.1-8B/resolve/main/config.json.',
    ],
    [
      'none.config',
      'startup',
      'ValueError: The checkpoint you are trying to load has model type `gemma4` but Transformers does not recognize this architecture.',
    ],
    [
      'none.config',
      'startup',
      'ValueError: Loading m requires you to execute the configuration file in that repo on your local machine. Make sure you have read the code there to avoid malicious use, then set the option `trust_remote_code=True` to remove this error.',
    ],
    [
      'none.config',
      'startup',
      'Exception: data did not match any variant of untagged enum ModelWrapper at line 757281 column 3',
    ],
    ['none.config', 'startup', 'RuntimeError: Cannot find any model weights with `/models/x`'],
    [
      'none.config',
      'startup',
      'ValueError: Unrecognized model in /models/x. Should have a `model_type` key in its config.json.',
    ],
    [
      'none.config',
      'startup',
      'RuntimeError: Error(s) in loading state_dict for LlamaForCausalLM: size mismatch for lm_head.weight',
    ],
    [
      'none.config',
      'startup',
      'OSError: Consistency check failed: file should be of size 4976698672 but has size 1073741824 (model-00001-of-00004.safetensors).',
    ],
    [
      'none.config',
      'startup',
      'safetensors_rust.SafetensorError: Error while deserializing header: MetadataIncompleteBuffer',
    ],
    ['none.config', 'startup', 'exec /usr/bin/python3: exec format error'],
    ['none.config', 'startup', 'standard_init_linux.go:228: exec user process caused: exec format error'],
    ['none.config', 'startup', 'flag provided but not defined: -foo'],
    ['none.config', 'startup', 'Error: unknown flag: --foo'],
    ['none.config', 'startup', "PermissionError: [Errno 13] Permission denied: '/.cache'"],
    ['none.config', 'startup', "tritonserver: invalid option -- 'x'"],
    ['none.other', 'startup', 'ImportError: libgomp.so.1: cannot allocate memory in static TLS block'],
    [
      'none.config',
      'startup',
      'ImportError: libcudart.so.12: cannot open shared object file: No such file or directory',
    ],
    ['none.config', 'startup', 'ImportError: /usr/lib/vllm/_C.abi3.so: undefined symbol: _ZN3c10'],
    [
      'none.scheduling',
      'startup',
      "Warning  FailedScheduling  default-scheduler  0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
    ],
    ['none.scheduling', 'startup', "pod didn't trigger scale-up: 1 max node group size reached"],
    [
      'none.scheduling',
      'startup',
      'Failed to schedule pod, incompatible with nodepool "gpu", daemonset overhead={"cpu":"180m"}, no instance type satisfied resources',
    ],
    [
      'none.scheduling',
      'startup',
      'Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected',
    ],
    [
      'none.scheduling',
      'startup',
      "couldn't assign flavors to pod set main: insufficient unused quota for nvidia.com/gpu in flavor default, 4 more needed",
    ],
    [
      'none.scheduling',
      'startup',
      "Node didn't have enough resource: nvidia.com/gpu, requested: 1, used: 8, capacity: 8",
    ],
    [
      'none.scheduling',
      'startup',
      'pods "vllm-0" is forbidden: exceeded quota: gpu, requested: requests.nvidia.com/gpu=8, used: 0, limited: 4',
    ],
    ['none.scheduling', 'startup', 'pod has unbound immediate PersistentVolumeClaims'],
    [
      'none.config',
      'startup',
      'Failed to pull image "vllm/vllm-openai:v9": rpc error: code = NotFound desc = failed to pull and unpack image',
    ],
    ['none.config', 'startup', 'Back-off pulling image "vllm/vllm-openai:v9"'],
    ['none.config', 'startup', 'Error: ImagePullBackOff'],
    ['none.config', 'startup', 'MountVolume.SetUp failed for volume "model" : configmap "vllm-config" not found'],
    [
      'none.config',
      'startup',
      'Unable to attach or mount volumes: unmounted volumes=[models], unattached volumes=[models]: timed out waiting for the condition',
    ],
    [
      'none.config',
      'startup',
      `Multi-Attach error for volume "pvc-1" Volume is already exclusively attached to one node and can't be attached to another`,
    ],
    ['none.config', 'startup', 'Error: secret "hf-token" not found'],
    ['none.config', 'startup', "Error: couldn't find key token in Secret default/hf-token"],
    [
      'none.config',
      'startup',
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox',
    ],
    ['none.driver', 'startup', 'no runtime for "nvidia" is configured'],
    [
      'none.driver',
      'startup',
      'nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8, please update your driver to a newer version, or use an earlier cuda container',
    ],
    ['none.driver', 'startup', 'failed to inject CDI devices: unresolvable CDI devices nvidia.com/gpu=all'],
    ['none.driver', 'startup', 'Incompatible strategy detected auto'],
    [
      'none.driver',
      'startup',
      'Error: failed to create containerd task: failed to create shim task: OCI runtime create failed: could not apply required modification to OCI specification',
    ],
    ['none.probe-kill', 'startup', 'Container vllm failed startup probe, will be restarted'],
    [
      'none.probe-kill',
      'startup',
      'Liveness probe failed: Get "http://10.0.0.5:8000/health": dial tcp 10.0.0.5:8000: connect: connection refused',
    ],
    [
      'none.comm',
      'hours',
      'torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, internal error - please report this issue to the NCCL developers, NCCL version 2.18.1',
    ],
    [
      'none.comm',
      'startup',
      'The client socket has timed out after 600000ms while trying to connect to (10.0.0.5, 29500).',
    ],
    [
      'none.comm',
      'startup',
      'torch.distributed.DistNetworkError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: false, code: -98, name: EADDRINUSE, message: address already in use',
    ],
    ['none.config', 'startup', 'NCCL WARN Duplicate GPU detected : rank 1 and rank 0 both on CUDA device 3b000'],
    [
      'none.comm',
      'hours',
      'NCCL WARN NET/IB : Got completion from peer 10.0.0.5<4791> with status=12 opcode=0 len=0 vendor err 129',
    ],
    [
      'none.comm',
      'hours',
      '(raylet) The node with node id: 1f and address: 10.0.0.5 has been marked dead because the detector has missed too many heartbeats from it.',
    ],
    [
      'none.gpu-fault',
      'hours',
      'torch.AcceleratorError: CUDA error: Invalid access of peer GPU memory over nvlink or a hardware error',
    ],
    [
      'none.gpu-fault',
      'hours',
      'NVRM: Xid (PCI:0000:17:00): 154, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)',
    ],
    ['none.driver', 'startup', 'NVRM: GPU 0000:3b:00.0: RmInitAdapter failed! (0x62:0xffff:2477)'],
    [
      'none.driver',
      'startup',
      'RuntimeError: CUDA error: the provided PTX was compiled with an unsupported toolchain.',
    ],
    ['none.driver', 'startup', 'hipErrorNoBinaryForGpu: Unable to find code object for all current devices!'],
    ['none.driver', 'startup', 'RuntimeError: No HIP GPUs are available'],
    ['none.driver', 'startup', 'RuntimeError: HIP error: invalid device function'],
    ['none.gpu-fault', 'hours', 'HW Exception by GPU node-1 (Agent handle: 0x55) reason :GPU Hang'],
    ['none.driver', 'startup', 'Failed to find the CUDA driver: libcuda.so cannot found!'],
    ['none.other', 'hours', 'LMCache WARNING: Failed to allocate memory for the KV cache.'],
    [
      'none.preemption-warning',
      'hours',
      'KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_token_ratio: 0.1 -> 0.2',
    ],
    [
      'none.other',
      'startup',
      'OSError: Not enough free disk space to download the file. The expected file size is: 4976.70 MB. The target location /root/.cache only has 100.00 MB free disk space.',
    ],
    ['none.other', 'startup', "OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub/blobs/1'"],
    [
      'none.config',
      'startup',
      'RuntimeError: Failed to find C compiler. Please specify via CC environment variable or set triton.knobs.build.impl.',
    ],
    ['none.config', 'startup', "ptxas fatal   : Value 'sm_121a' is not defined for option 'gpu-name'"],
    [
      'none.config',
      'startup',
      "RuntimeError: Could not find nvcc and default cuda_home='/usr/local/cuda' doesn't exist",
    ],
    ['none.config', 'startup', "RuntimeError: Error building extension 'batch_prefill'"],
    ['none.config', 'startup', 'botocore.exceptions.NoCredentialsError: Unable to locate credentials'],
    [
      'none.config',
      'startup',
      'botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden',
    ],
    [
      'none.config',
      'startup',
      'huggingface_hub.errors.HfHubHTTPError: 429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/x',
    ],
    [
      'none.other',
      'startup',
      'RuntimeError: Data processing error: CAS service error : Reqwest Error: HTTP status server error (502 Bad Gateway)',
    ],
    [
      'none.driver',
      'startup',
      'RuntimeError: Initialize:torch_npu/csrc/core/npu/sys_ctrl/npu_sys_ctrl.cpp:120 NPU function error: aclrtSetDevice, error code is 507033',
    ],
    ['none.driver', 'startup', 'dcmi module initialize failed. ret is -8005'],
    ['none.gpu-fault', 'hours', 'EZ9999: Inner Error! The error from device(chipId:0), aicore exception'],
    [
      'none.gpu-fault',
      'hours',
      'RuntimeError: npuSynchronizeDevice: NPU function error: aclrtSynchronizeDevice, error code is 507015 [Error]: The aicore execution is abnormal.',
    ],
    ['none.comm', 'hours', 'RuntimeError: [Gloo] Rank 1 failed to pass monitoredBarrier in 1800000 ms'],
    ['none.comm', 'hours', 'MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD'],
    [
      'none.comm',
      'hours',
      'Primary job  terminated normally, but 1 process returned a non-zero exit code. ORTE has lost communication with a remote daemon',
    ],
    ['none.comm', 'hours', 'NIXL_ERR_REMOTE_DISCONNECT: transfer failed'],
    ['none.comm', 'hours', 'Session 10.0.0.5:15121 failed, KVTransferError: Failed to send kv chunk'],
    ['none.other', 'hours', 'Fatal glibc error: malloc assertion failure in sysmalloc: (old_top == initial_top (av))'],
    ['none.other', 'hours', 'free(): invalid pointer'],
    ['none.other', 'hours', 'double free or corruption (out)'],
    ['none.other', 'hours', 'corrupted double-linked list'],
    ['none.other', 'hours', 'malloc(): invalid size (unsorted)'],
    ['none.other', 'hours', '*** stack smashing detected ***: terminated'],
    ['none.other', 'hours', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    ['none.config', 'hours', 'accept: too many open files'],
    ['none.gpu-fault', 'hours', 'vk::Queue::submit: ErrorDeviceLost'],
    [
      'none.driver',
      'startup',
      'CUDA initialization: Unexpected error from cudaGetDeviceCount(). Error 101: invalid device ordinal',
    ],
    ['none.driver', 'startup', 'Error 802: system not yet initialized'],
    ['none.driver', 'startup', "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."],
    [
      'none.driver',
      'startup',
      'WARNING: The NVIDIA Driver was not detected.  GPU functionality will not be available.',
    ],
    [
      'none.driver',
      'startup',
      'ERROR: This container was built for NVIDIA Driver Release 570.86 or later, but version 535.1 was detected',
    ],
  ])('%s, %s: %s', async (cause, uptime, line) => {
    expect(await verdictOf(`${line}\n`, uptime)).toMatchObject({ plane: 'none', cause });
  });
});

describe('an error with a name of memory in it', () => {
  it.each([
    ['none.config', 'AssertionError: Cannot specify both memory usage and memory reserve.'],
    [
      'none.config',
      'AssertionError: All attention layers in the same KV cache group must have the same attention spec.',
    ],
    ['none.config', 'TypeError: entrypoint_memory must be an integer, got 1.5'],
    ['none.other', 'RuntimeError: MXFP8 KV cache requires torch.float8_e8m0fnu.'],
  ])('is one of settings where nothing failed to be had, and proves none: %s, %s', async (cause, error) => {
    expect(await verdictOf(`${error}\n`)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  const ended = (error: string) =>
    `Traceback (most recent call last):\n  File "/opt/e.py", line 8, in <module>\n${error}\n`;

  it('is one of settings where it refuses them', async () => {
    expect(
      await verdictOf(ended('ValueError: FlashAttention does not support fp8 kv-cache on this device.')),
    ).toMatchObject({ plane: 'none', cause: 'none.config', certain: true });
  });

  const heads = 'ValueError: Total number of attention heads (28) must be divisible by tensor parallel size (8).';

  it.each([
    ['the last word of the log', heads, true],
    ['with more of its own message', `${heads}\n  see the documentation`, true],
    [
      'of files that could not be fetched',
      "OSError: We couldn't connect to 'https://huggingface.co' to load the files.",
      true,
    ],
    ['with what followed it', `${heads}\nINFO loading again with one rank`, false],
    ['as a warning', `WARNING [config.py:1] ${heads}`, false],
    ['below the frame that raised it', 'File "/opt/e.py", line 8, in load\nKeyError: \'w13_bias\'', true],
    ['without a frame', "KeyError: 'w13_bias'", false],
  ])('is certain where the log shows that nobody caught it: %s', async (_, log, certain) => {
    expect(await verdictOf(`${log}\n`, 'startup')).toMatchObject({ plane: 'none', certain });
  });

  it.each([
    'ValueError: the KV cache must be divisible, 4 GiB are not enough',
    'RuntimeError: failed to allocate the kv cache, not supported',
    'ValueError: max seq len must be in [1, 1024], which is larger than the KV cache',
    'RuntimeError: the KV cache failed to start',
    'RuntimeError: KV cache pool is full',
    'AssertionError: Logical allocation failed in alloc_extend',
  ])('and is not where it speaks of a shortage, or of a failure that may be one: %s', async (error) => {
    expect((await verdictOf(ended(error))).plane).not.toBe('none');
  });
});

it('a library that is tried and not found does not outweigh what ended the process', async () => {
  const log =
    'WARNING Failed to import from vllm._C: libcudart.so.12: cannot open shared object file: No such file or directory\n';

  expect((await verdictOf(`${log}RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\n`)).plane).toBe('gpu');
});

describe('what is left of a log that was cut', () => {
  it.each([
    ['none.gpu-fault', 'CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace'],
    [
      'none.comm',
      '[rank62]:[E809 14:59:33.656957424 ProcessGroupNCCL.cpp:629] [Rank 62] Watchdog caught collective oper',
    ],
    ['none.config', 'kserve ERROR [__main__.py:254] Failed to start model server: integer division or modulo by zero'],
    ['none.scheduling', " {'node:10.0.0.1': 0.001, 'GPU': 1.0} * 1 (PACK): 1+ pending placement groups"],
    ['none.driver', 'pinned_memory_manager.cc:271] Unable to allocate pinned system memory: operation not supported'],
    ['none.comm', '[1.5] [node-0:12:0]  ib_mlx5_log.c:171  UCX  ERROR Transport retry count exceeded on mlx5_0:1/RoCE'],
  ])('points to %s: %s', async (cause, line) => {
    expect(await verdictOf(`${line}\n`)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it('says no more than the error itself where that is there', async () => {
    const log = `CUDA error: invalid argument
CUDA kernel errors might be asynchronously reported at some other API call.
`;

    expect((await verdictOf(log)).cause).not.toBe('none.gpu-fault');
  });

  it('is no failure where it is a warning of an orderly end', async () => {
    const log =
      '[rank0]:[W514 11:29:56.613774080 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit\n';

    expect((await verdictOf(log)).plane).toBe('unknown');
  });
});

describe('an error that a logger repeats behind its own head', () => {
  it.each([
    "2026-07-01 07:28:04.488 1 kserve ERROR [__main__.py:<module>():254] TypeError: 'x' is wrong here",
    "ERROR:root:TypeError: 'x' is wrong here",
    "2026-07-01T10:00:00.602769Z ERROR dynamo_llm::engines::vllm::worker: VLLM: engine.py:518] TypeError: 'x' is wrong",
    '{"level":"ERROR","message":"TypeError: it is wrong here"}',
    "[TRT-LLM] [E] TypeError: 'x' is wrong here",
    "Jul 10 10:00:00 node-1 python[1234]: TypeError: 'x' is wrong here",
    "(ServeReplica:default:VLLM pid=1, ip=10.0.0.1)     raise TypeError('it is wrong here')",
    "ESC[1;36m(EngineCore_0 pid=114)ESC[0;0m ERROR 08-12 14:37:44 [core.py:718] TypeError: 'x' is wrong here",
  ])('is read, and proves nothing: %s', async (line) => {
    expect(await verdictOf(`${line}\n`)).toMatchObject({ plane: 'none', cause: 'none.config', certain: false });
  });

  it.each([
    "2026-07-01 10:00:00 WARNING loader TypeError: 'x' is wrong here, trying the next",
    '2026-07-01 10:00:00 ERROR worker - RuntimeError: failed to allocate the pool',
    "ERROR worker - Ignored TypeError: 'x' is wrong here",
  ])('is not where the engine goes on, or memory may have failed: %s', async (line) => {
    expect((await verdictOf(`${line}\n`)).plane).not.toBe('none');
  });

  it('counts less than the one that ended the process', async () => {
    const log = "ERROR worker - TypeError: 'x' is wrong here\nRuntimeError: no compiler for this graph\n";

    expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.other' });
  });
});

it('the head of a line does not silence what the line says', async () => {
  const log =
    '(EngineCore_DP0 pid=114) ERROR 08-12 14:37:44 [core.py:718] the server refuses: no module named flash here\n';

  expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.config' });
});
