"""Boards, discs and lamps for Blender's path tracer (the ``bpy`` package, Cycles): solids, materials, light, camera.

Lengths are given in mm; Blender's unit is a decimetre. World frame: z up from the playing surface, as everywhere here.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from calibration.camera import Camera

Array = NDArray[np.float64]
Colour = NDArray[np.float32]
Thing = bpy.types.Object
Material = bpy.types.Material

UNIT = 0.01
"""Blender units a millimetre."""
ROUND = 192
"""Corners of a turned solid: a disc's outline is off by 0.002 mm at most."""
BEVEL_STEPS = 6
SENSOR_MM = 36.0


def fresh(samples: int, seed: int) -> None:
    """An empty scene with the path tracer set up: linear colours, one thread, a seed for its noise."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.threads_mode, scene.render.threads = "FIXED", 1
    scene.render.use_persistent_data = True
    scene.cycles.samples, scene.cycles.seed = samples, seed
    scene.cycles.use_adaptive_sampling, scene.cycles.use_denoising = False, True
    scene.cycles.denoiser, scene.cycles.denoising_prefilter = "OPENIMAGEDENOISE", "FAST"
    scene.cycles.max_bounces, scene.cycles.diffuse_bounces, scene.cycles.glossy_bounces = 4, 3, 2
    scene.cycles.caustics_reflective = scene.cycles.caustics_refractive = False
    scene.cycles.sample_clamp_indirect = 4.0
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"


def turned(name: str, profile: Array, corners: int = ROUND) -> bpy.types.Object:
    """A solid of revolution about z from a profile (N, 2) of radius and height in mm, outward side to the right."""
    a = np.arange(corners) * (2 * np.pi / corners)
    r, z = profile[:, 0], profile[:, 1]
    ring = np.stack([np.outer(r, np.cos(a)), np.outer(r, np.sin(a)), np.repeat(z[:, None], corners, 1)], axis=-1)
    vertices = ring.reshape(-1, 3) * UNIT
    k, j = np.meshgrid(np.arange(len(profile) - 1), np.arange(corners), indexing="ij")
    after = (j + 1) % corners
    faces = np.stack(
        [k * corners + j, (k + 1) * corners + j, (k + 1) * corners + after, k * corners + after], -1
    ).reshape(-1, 4)
    return meshed(name, vertices, faces)


def meshed(name: str, vertices: Array, faces: NDArray[np.int64]) -> bpy.types.Object:
    """A smooth solid from vertices (V, 3) in Blender's units and faces (F, 4), outward side counterclockwise."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    mesh.polygons.foreach_set("use_smooth", np.ones(len(mesh.polygons), bool))
    mesh.validate()
    thing = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(thing)
    return thing


def flat_shaded(thing: bpy.types.Object) -> bpy.types.Object:
    """The same solid with sharp corners."""
    thing.data.polygons.foreach_set("use_smooth", np.zeros(len(thing.data.polygons), bool))
    return thing


def disc_profile(radius: float, height: float, top: float, bottom: float, hollow: float, dish: float) -> Array:
    """Profile (N, 2) of a disc lying on z = 0 with rounded edges, a hole of radius ``hollow``, a dished top."""
    a = np.linspace(0, np.pi / 2, BEVEL_STEPS)
    start = max(hollow, 0.01)
    inner = np.linspace(start, radius - top - 0.05, 6)
    depth = dish * (1 - (inner / (radius - top)) ** 2)
    face = np.column_stack([inner, height - depth])
    over = np.column_stack([radius - top + top * np.sin(a), height - top + top * np.cos(a)])
    under = np.column_stack([radius - bottom + bottom * np.cos(a), bottom - bottom * np.sin(a)])
    foot = np.array([[radius - bottom - 0.05, 0.0], [start, 0.0]])
    parts = [face, over, under, foot]
    if hollow > 0:
        parts.append(np.array([[start, height - dish]]))
    return np.concatenate(parts)


def picture_of(name: str, linear: Colour) -> bpy.types.Image:
    """A Blender image from linear colours (H, W, 3) RGB, row 0 at the top."""
    h, w = linear.shape[:2]
    image = bpy.data.images.new(name, w, h, float_buffer=True, is_data=True)
    rgba = np.ones((h, w, 4), np.float32)
    rgba[..., :3] = linear[::-1]
    image.pixels.foreach_set(rgba.ravel())
    return image


def material(name: str, colour: Colour, rough: float, coat: float) -> bpy.types.Material:
    """Paint or lacquer of a linear colour (3,)."""
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    shade = made.node_tree.nodes["Principled BSDF"]
    shade.inputs["Base Color"].default_value = (*(float(v) for v in colour), 1.0)
    shade.inputs["Roughness"].default_value = rough
    shade.inputs["Coat Weight"].default_value = coat
    shade.inputs["Coat Roughness"].default_value = 0.15
    return made


def printed(made: bpy.types.Material, image: bpy.types.Image, half_mm: float) -> None:
    """Lay an image of side 2 ``half_mm`` over a material, seen from above, in the solid's own frame."""
    tree = made.node_tree
    place, shift, look = (tree.nodes.new(f"ShaderNode{n}") for n in ("TexCoord", "Mapping", "TexImage"))
    scale = 1 / (2 * half_mm * UNIT)
    shift.inputs["Scale"].default_value = (scale, scale, 1.0)
    shift.inputs["Location"].default_value = (0.5, 0.5, 0.0)
    look.image, look.interpolation = image, "Cubic"
    tree.links.new(place.outputs["Object"], shift.inputs["Vector"])
    tree.links.new(shift.outputs["Vector"], look.inputs["Vector"])
    tree.links.new(look.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])


FIBRES, FELT = (1.5, 12.0, 3.0), (35.0, 35.0, 35.0)
"""Scales of noise along the axes: long fibres, and a nap of half a millimetre."""


def grained(
    made: bpy.types.Material,
    colour: Colour,
    strength: float,
    seed: float,
    scale: tuple[float, float, float] = FIBRES,
) -> None:
    """Give a material noise of a relative strength: stretched as wood has, or as ``scale`` says."""
    tree = made.node_tree
    place, shift, noise, ramp = (
        tree.nodes.new(f"ShaderNode{n}") for n in ("TexCoord", "Mapping", "TexNoise", "ValToRGB")
    )
    shift.inputs["Scale"].default_value = scale
    shift.inputs["Location"].default_value = (seed, 2 * seed, 3 * seed)
    noise.inputs["Scale"].default_value = 4.0
    noise.inputs["Detail"].default_value = 3.0
    for end, sign in zip(ramp.color_ramp.elements, (-1, 1), strict=True):
        end.position = 0.5 + 0.2 * sign
        end.color = (*(float(np.clip(v * math.exp(sign * strength), 0, 0.95)) for v in colour), 1.0)
    tree.links.new(place.outputs["Object"], shift.inputs["Vector"])
    tree.links.new(shift.outputs["Vector"], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Fac"], ramp.inputs["Fac"])
    tree.links.new(ramp.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])


STEEP = (0.45, 0.9)
"""Upward parts of a normal: below the first a place belongs to the wall, beyond the second to the face."""


def worn(made: bpy.types.Material, under: Colour, share: float, fine: float, seed: float) -> None:
    """Let another linear colour (3,) show through on walls and edges, in blotches over a ``share`` of them.

    ``fine``: blotches to a decimetre. At a share of one the whole wall is bare.
    """
    tree = made.node_tree
    place, shift, noise, lies, wall, bare, both, mix = (
        tree.nodes.new(f"ShaderNode{n}")
        for n in ("TexCoord", "Mapping", "TexNoise", "NewGeometry", "MapRange", "MapRange", "Math", "MixRGB")
    )
    shift.inputs["Location"].default_value = (3 * seed, seed, 2 * seed)
    noise.inputs["Scale"].default_value = fine
    apart = tree.nodes.new("ShaderNodeSeparateXYZ")
    for node, (low, high, first, last) in ((wall, (*STEEP, 1.0, 0.0)), (bare, (0.72 - share, 0.76 - share, 0.0, 1.0))):
        for name, value in zip(("From Min", "From Max", "To Min", "To Max"), (low, high, first, last), strict=True):
            node.inputs[name].default_value = value
        node.clamp = True
    both.operation = "MULTIPLY"
    mix.inputs["Color2"].default_value = (*(float(v) for v in under), 1.0)
    tree.links.new(place.outputs["Object"], shift.inputs["Vector"])
    tree.links.new(shift.outputs["Vector"], noise.inputs["Vector"])
    tree.links.new(noise.outputs["Fac"], bare.inputs["Value"])
    tree.links.new(lies.outputs["Normal"], apart.inputs["Vector"])
    tree.links.new(apart.outputs["Z"], wall.inputs["Value"])
    tree.links.new(wall.outputs["Result"], both.inputs[0])
    tree.links.new(bare.outputs["Result"], both.inputs[1])
    tree.links.new(both.outputs["Value"], mix.inputs["Fac"])
    shade = tree.nodes["Principled BSDF"].inputs["Base Color"]
    if shade.is_linked:
        tree.links.new(shade.links[0].from_socket, mix.inputs["Color1"])
    else:
        mix.inputs["Color1"].default_value = tuple(shade.default_value)
    tree.links.new(mix.outputs["Color"], shade)


def dress(thing: bpy.types.Object, made: bpy.types.Material) -> None:
    """Give a solid its material."""
    thing.data.materials.clear()
    thing.data.materials.append(made)


def place(thing: bpy.types.Object, centre: Sequence[float], turn: Array | None = None) -> None:
    """Put a solid's origin at a place in mm, turned by a rotation (3, 3)."""
    pose = np.eye(4)
    pose[:3, :3] = np.eye(3) if turn is None else turn
    pose[:3, 3] = np.asarray(centre) * UNIT
    thing.matrix_world = Matrix(pose.tolist())


def remove(things: Sequence[Thing]) -> None:
    """Take solids away."""
    for thing in things:
        bpy.data.objects.remove(thing, do_unlink=True)


def look_through(camera: Camera, blur_stop: float | None, focus_mm: float) -> None:
    """Set Blender's camera to a :class:`Camera` without distortion; ``blur_stop``: f-number, None for all sharp."""
    scene = bpy.context.scene
    made = bpy.data.cameras.new("camera")
    thing = bpy.data.objects.new("camera", made)
    bpy.context.collection.objects.link(thing)
    scene.camera = thing
    w, h = camera.width, camera.height
    scene.render.resolution_x, scene.render.resolution_y, scene.render.resolution_percentage = w, h, 100
    made.sensor_fit, made.sensor_width = "HORIZONTAL", SENSOR_MM
    made.lens = float(camera.K[0, 0]) * SENSOR_MM / w
    made.shift_x = ((w - 1) / 2 - float(camera.K[0, 2])) / w
    made.shift_y = (float(camera.K[1, 2]) - (h - 1) / 2) / w
    made.clip_start, made.clip_end = 0.5, 1000.0
    if blur_stop is not None:
        made.dof.use_dof, made.dof.focus_distance, made.dof.aperture_fstop = True, focus_mm * UNIT, blur_stop
    pose = np.eye(4)
    pose[:3, :3] = camera.rotation.T @ np.diag([1.0, -1.0, -1.0])
    pose[:3, 3] = camera.centre * UNIT
    thing.matrix_world = Matrix(pose.tolist())


def lamp(kind: str, at_mm: Array, power: float, size_mm: float, colour: Colour) -> None:
    """A lamp looking at the board's middle: ``AREA``, ``POINT`` or ``SUN`` (then ``power`` is its strength)."""
    made = bpy.data.lights.new("lamp", kind)
    made.energy, made.color = power, [float(v) for v in colour]
    if kind == "AREA":
        made.shape, made.size, made.size_y = "RECTANGLE", size_mm * UNIT, 0.4 * size_mm * UNIT
    elif kind == "POINT":
        made.shadow_soft_size = size_mm * UNIT
    else:
        made.angle = size_mm
    thing = bpy.data.objects.new("lamp", made)
    bpy.context.collection.objects.link(thing)
    back = at_mm / np.linalg.norm(at_mm)
    side = np.cross([0.0, 1.0, 0.0] if abs(back[1]) < 0.9 else [1.0, 0.0, 0.0], back)
    side /= np.linalg.norm(side)
    place(thing, at_mm, np.column_stack([side, np.cross(back, side), back]))


def sky(linear: Colour, strength: float) -> None:
    """The room's own light: linear colours (H, W, 3) all around."""
    world = bpy.data.worlds.new("room")
    bpy.context.scene.world = world
    world.use_nodes = True
    tree = world.node_tree
    look = tree.nodes.new("ShaderNodeTexEnvironment")
    look.image = picture_of("room", linear)
    tree.links.new(look.outputs["Color"], tree.nodes["Background"].inputs["Color"])
    tree.nodes["Background"].inputs["Strength"].default_value = strength


def trace(box: tuple[int, int, int, int], scratch: Path) -> Colour:
    """Render pixels left, top, right, bottom (right and bottom beyond) of the picture: linear (h, w, 3) BGR."""
    render = bpy.context.scene.render
    left, top, right, bottom = box
    w, h = render.resolution_x, render.resolution_y
    render.use_border = render.use_crop_to_border = True
    render.border_min_x, render.border_max_x = (left + 0.25) / w, (right + 0.25) / w
    render.border_min_y, render.border_max_y = (h - bottom + 0.25) / h, (h - top + 0.25) / h
    render.filepath = str(scratch)
    bpy.ops.render.render(write_still=True)
    shot = bpy.data.images.load(str(scratch), check_existing=False)
    shot.colorspace_settings.name = "Non-Color"
    size = tuple(shot.size)
    values = np.zeros(size[0] * size[1] * shot.channels, np.float32)
    shot.pixels.foreach_get(values)
    pixels = values.reshape(size[1], size[0], -1)[::-1, :, :3]
    bpy.data.images.remove(shot)
    if size != (right - left, bottom - top):
        raise RuntimeError(f"asked for {right - left} x {bottom - top} pixels, Blender rendered {size}")
    return np.ascontiguousarray(pixels[..., ::-1])
